import {
  createTRPCClient,
  createWSClient,
  httpLink,
  httpSubscriptionLink,
  type Operation,
  splitLink,
  TRPCClientError,
  wsLink,
} from "@trpc/client";
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { EventSource } from "eventsource";
import { beforeAll, expect, it } from "vitest";
import type { AppRouter } from "../router.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { trpcErrorCodeOf } from "./error-codes.ts";

const missingRoom = { soul_id: 999_999, session_token: "lobby" };
const isSubscription = ({ type }: Operation) => type === "subscription";

/** Clients of tRPC branch on the `data.code` of an error. */
describeHub("the tRPC code of an error", {}, (hub) => {
  beforeAll(async () => {
    await hub.member("ada");
  });

  const overHttp = () => {
    const url = `${hub.url}/trpc`;
    const links = [
      splitLink({
        condition: isSubscription,
        true: httpSubscriptionLink({ url, EventSource }),
        false: httpLink({ url }),
      }),
    ];
    return { client: createTRPCClient<AppRouter>({ links }), close: () => undefined };
  };
  const overSocket = () => {
    const socket = createWSClient({ url: `${hub.url.replace("http", "ws")}/trpc` });
    const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket })] });
    return { client, close: () => socket.close() };
  };
  const codeOf = (error: unknown) => {
    if (!(error instanceof TRPCClientError)) throw error;
    return [error.data.code, error.data.httpStatus, error.data.error, error.shape?.code];
  };
  const register = { username: "ada", password: "correct horse battery", email: "a@example.org" };

  it.each([
    ["HTTP", overHttp],
    ["WebSocket", overSocket],
  ])("is tRPC's name for the status over %s", async (_, open) => {
    const { client, close } = open();
    const failed = (call: Promise<unknown>) => call.then(() => "no error", codeOf);
    expect([
      await failed(client.souls.read.query({ id: 999_999 })),
      await failed(client.souls.list.query({ limit: 0 })),
      await failed(client.accounts.me.query()),
      await failed(client.accounts.register.mutate(register)),
    ]).toEqual([
      ["NOT_FOUND", 404, "soul_not_found", -32004],
      ["BAD_REQUEST", 400, "invalid_input", -32600],
      ["UNAUTHORIZED", 401, "unauthenticated", -32001],
      ["CONFLICT", 409, "username_taken", -32009],
    ]);
    close();
  });

  it.each([
    ["WebSocket", overSocket],
    ["SSE", overHttp],
  ])("ends a subscription over %s", async (_, open) => {
    const { client, close } = open();
    const ended = new Promise((resolve) => {
      client.rooms.live.subscribe(missingRoom, { onError: (error) => resolve(codeOf(error)) });
    });
    expect(await ended).toEqual(["NOT_FOUND", 404, "soul_not_found", -32004]);
    close();
  });

  it("maps to the status from which it was made", () => {
    for (const status of [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504]) {
      const { name } = trpcErrorCodeOf(status);
      expect([name, getHTTPStatusCodeFromError(new TRPCError({ code: name }))]).toEqual([
        name,
        status,
      ]);
    }
    expect([414, 421, 431].map((status) => trpcErrorCodeOf(status).name)).toEqual(
      Array(3).fill("BAD_REQUEST"),
    );
  });
});
