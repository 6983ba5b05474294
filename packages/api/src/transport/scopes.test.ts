import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KeyScope, keyScopes } from "../accounts/keys/key-scopes.schema.ts";
import { type NamedActor, withNamedKey } from "../accounts/keys/named-key.fixture.ts";
import { appRouter } from "../router.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { openRoom, type RoomName } from "../testing/chat-hub.ts";
import { failureCode, openSocket } from "../testing/live-visitor.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import { proceduresOf } from "../trpc/procedures.ts";
import { openApiDocument } from "./rest/openapi.ts";

const procedures = [...proceduresOf(appRouter)].map(([name, { type, meta }]) => ({
  name,
  type,
  need: meta?.need,
  access: meta?.access,
  rest: meta?.rest,
  isForFiles: meta?.takesFile !== undefined || meta?.sendsFile !== undefined,
}));
const ofUsers = procedures.filter(({ access }) => access !== "admin");
const needing = (...needs: (string | undefined)[]) =>
  ofUsers.filter(({ need }) => needs.includes(need)).map((one) => [one.name, one] as const);

/** The table of scopes × endpoints (decisions §3). */
describe("named keys", () => {
  let hub: TestHub;
  let vera: Actor;
  let room: RoomName;
  const only = {} as Record<KeyScope, NamedActor>;
  const allBut = {} as Record<KeyScope, NamedActor>;
  let all: NamedActor;

  beforeAll(async () => {
    hub = await startTestHub();
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    all = await withNamedKey(hub, vera, keyScopes);
    for (const scope of keyScopes) {
      only[scope] = await withNamedKey(hub, vera, [scope]);
      const others = keyScopes.filter((other) => other !== scope);
      allBut[scope] = await withNamedKey(hub, vera, others);
    }
  });
  afterAll(() => hub.close());

  /** Calls a procedure with an empty body, over tRPC and REST. Files travel over REST alone. */
  const call = async (
    key: Actor,
    { name, type, rest, isForFiles }: (typeof procedures)[number],
  ) => {
    const answers: Answer[] = [];
    if (isForFiles) {
      const overTrpc = await key.get(`/trpc/${name}?input=%7B%7D`);
      expect([404, 405]).toContain(overTrpc.status);
    } else if (type === "mutation") answers.push(await key.post(`/trpc/${name}`, {}));
    else if (type === "query") answers.push(await key.get(`/trpc/${name}?input=%7B%7D`));
    else answers.push(await key.get(`/trpc/${name}?input=%7B%7D`, { accept: "text/event-stream" }));
    if (rest) {
      const [method = "", path = ""] = rest.split(" ");
      const hasBody = method === "POST" || method === "PUT";
      const type = hasBody ? { "content-type": "application/json" } : {};
      const address = `/api${path.replace(/\{\w+\}/g, "999999")}`;
      answers.push(await key.send(method, address, hasBody ? "{}" : undefined, type));
    }
    return answers;
  };
  const refusalOf = ({ status, headers, body, text }: Answer) => {
    const failure = body?.error?.data ?? body ?? JSON.parse(/\{.*\}/.exec(text)?.[0] ?? "{}");
    return [status, failure.error, failure.scope, headers.get("www-authenticate")];
  };
  const insufficient = 'Bearer error="insufficient_scope"';

  it("need something at each procedure", () => {
    expect(ofUsers.filter(({ need }) => need === undefined)).toEqual([]);
  });

  it.each(needing(...keyScopes))("without its scope cannot call %s", async (_, procedure) => {
    const scope = procedure.need as KeyScope;
    const answers = await call(allBut[scope], procedure);
    // tRPC answers a refused subscription with 200, and sends the error as an event.
    if (procedure.type === "subscription") {
      expect(answers.map(({ text }) => text)).toEqual([
        expect.stringMatching(`"error":"scope_missing",.*"scope":"${scope}"`),
      ]);
      return;
    }
    const expected = [403, "scope_missing", scope, `${insufficient}, scope="${scope}"`];
    expect(answers.map(refusalOf)).toEqual(answers.map(() => expected));
  });

  it.each(needing(...keyScopes).filter(([name]) => name !== "rooms.live"))(
    "with its scope alone may call %s",
    async (_, procedure) => {
      const answers = await call(only[procedure.need as KeyScope], procedure);
      for (const answer of answers) expect(answer.text).not.toContain("scope_missing");
    },
  );

  it.each(needing("main"))("with all scopes cannot call %s", async (_, procedure) => {
    const answers = await call(all, procedure);
    const expected = [403, "scope_missing", undefined, insufficient];
    expect(answers.map(refusalOf)).toEqual(answers.map(() => expected));
  });

  it.each(needing("public").filter(([name]) => name !== "accounts.revokeKey"))(
    "with any scope may call %s",
    async (_, procedure) => {
      for (const answer of await call(only.social, procedure)) {
        expect(answer.text).not.toContain("scope_missing");
      }
    },
  );

  it("without the scope are refused over a WebSocket, too", async () => {
    await using socket = openSocket(hub, allBut.chat);
    const visitor = socket.join(room);
    await expect.poll(() => visitor.endedBy).toBe("scope_missing");
    const typing = socket.client.rooms.typing.mutate(room).then(() => "no error", failureCode);
    expect(await typing).toBe("scope_missing");
    const souls = await socket.client.souls.list.query({});
    expect(souls.count).toBe(1);
  });

  it("are named in the OpenAPI document with the scope that an operation needs", () => {
    const { paths } = openApiDocument("0.0.0");
    for (const { rest, need } of ofUsers) {
      if (!rest) continue;
      const [method = "", path = ""] = rest.split(" ");
      const operation = paths[`/api${path}`]?.[method.toLowerCase()] as {
        security: { key?: string[] }[];
      };
      const scopes = operation.security.flatMap(({ key }) => key ?? []);
      const isScope = (keyScopes as readonly (string | undefined)[]).includes(need);
      expect([rest, scopes]).toEqual([rest, isScope ? [need] : []]);
    }
  });
});
