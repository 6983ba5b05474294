import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { PollSession } from "../rooms/polling/poll-session.ts";
import type { Actor } from "../testing/actor.ts";
import { openRoom, type RoomName, sync } from "../testing/chat-hub.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { eventually } from "../testing/eventually.ts";

const MAX_STREAMS_PER_ADDRESS = 64;
/** The diagnostics channel on which Node announces each request to a server of this process. */
const STARTED = "http.server.request.start";

describeHub("a client that disconnects", { config: { rateLimits: true } }, (hub) => {
  let ada: Actor;
  let room: RoomName;
  const responses: ServerResponse[] = [];
  const onRequest = (started: unknown) =>
    responses.push((started as { response: ServerResponse }).response);
  beforeAll(async () => {
    ada = await hub.member("ada");
  });
  beforeEach(async () => {
    room = await openRoom(ada);
    responses.length = 0;
    subscribe(STARTED, onRequest);
  });
  afterEach(() => {
    unsubscribe(STARTED, onRequest);
    vi.restoreAllMocks();
  });

  const trpcPath = (name: string, input: object) =>
    `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`;
  const streamPath = () => trpcPath("rooms.live", room);
  const waitPath = () => {
    const { soul_id, session_token } = room;
    return `/api/chat-sync?${new URLSearchParams({ soul_id: `${soul_id}`, session_token, wait: "25" })}`;
  };
  const openStream = async () => {
    const leaving = new AbortController();
    const { status } = await fetch(hub.url + streamPath(), { signal: leaving.signal });
    leaving.abort();
    return status;
  };

  /** Sends requests, and disconnects their clients while the hub looks up the clients' API key. */
  async function disconnectDuringLookup(path: string, count: number): Promise<void> {
    const { accounts } = hub.hub;
    const lookUp = accounts.byApiKeyHash;
    const gate = Promise.withResolvers<void>();
    const lookups: Promise<unknown>[] = [];
    accounts.byApiKeyHash = (hash) => {
      const found = gate.promise.then(() => lookUp(hash));
      lookups.push(found);
      return found;
    };
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${ada.apiKey}` };
    const requests = Array.from({ length: count }, () =>
      fetch(hub.url + path, { headers, signal: leaving.signal }),
    );
    await eventually(() => expect(lookups).toHaveLength(count));
    const closed = responses.map((response) => once(response, "close"));
    leaving.abort();
    await Promise.allSettled(requests);
    await Promise.all(closed);
    accounts.byApiKeyHash = lookUp;
    gate.resolve();
    // This request takes as many asynchronous steps as the disconnected requests before it. It is
    // usually answered after the hub has handled those, too.
    await sync(ada, room);
  }

  it("during the lookup of its key does not count towards its address's 64 streams", async () => {
    await disconnectDuringLookup(streamPath(), MAX_STREAMS_PER_ADDRESS);
    expect(await openStream()).toBe(200);
  });

  it.each([
    ["REST", [true], waitPath],
    ["tRPC", [], () => trpcPath("rooms.sync", { ...room, wait: 25 })],
  ])("during the lookup of its key does not wait for news over %s", async (_, aborted, path) => {
    const wait = vi.spyOn(PollSession.prototype, "wait");
    await disconnectDuringLookup(path(), 1);
    await eventually(() =>
      expect(wait.mock.calls.map(([{ signal }]) => signal?.aborted)).toEqual(aborted),
    );
  });

  it("has no streams that count if it had pipelined them behind another request", async () => {
    const { host, port } = new URL(hub.url);
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(get(waitPath()) + get(streamPath()).repeat(MAX_STREAMS_PER_ADDRESS));
    await eventually(() => expect(responses).toHaveLength(1 + MAX_STREAMS_PER_ADDRESS));
    await hub.guest().get("/readyz");
    socket.destroy();
    await eventually(() => expect(responses[0]?.destroyed).toBe(true));
    expect(await openStream()).toBe(200);
  });
});
