import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { initTRPC, tracked } from "@trpc/server";
import { getWSConnectionHandler } from "@trpc/server/adapters/ws";
import { expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { RequestContext } from "../../../context.ts";
import { EventBatch } from "../../../rooms/delivery/event-batch.ts";
import type { EventSink } from "../../../rooms/delivery/event-sink.ts";
import type { PushedEvents } from "../../../rooms/delivery/pushed-events.ts";
import type { RoomEvent } from "../../../rooms/room-events.ts";
import { eventually } from "../../../testing/eventually.ts";
import { WsConnection } from "../ws-connection.ts";
import { rpcHandler } from "./rpc-handler.ts";

const QUIET_MS = 100;
/** Id of the query that the helper `send` appends to the messages of a test. */
const LAST = "last";
const isLast = (text: string) => text.startsWith(`{"id":"${LAST}"`);
const idOf = (text: string): unknown => JSON.parse(text).id;
/**
 * Groups received messages by id, since their order across subscriptions may differ. Omits the
 * responses to the queries that `send` appends.
 */
const rest = (texts: string[]) =>
  Map.groupBy(
    texts.filter((text) => !isLast(text)),
    idOf,
  );

/**
 * Sample events for both servers. The hub's server has them pushed into a sink; tRPC's own adapter
 * iterates over them.
 */
class SampleEvents implements PushedEvents {
  readonly #events: (stopped: Promise<void>) => AsyncIterable<RoomEvent>;
  readonly #stopped = Promise.withResolvers<void>();

  constructor(events: (stopped: Promise<void>) => AsyncIterable<RoomEvent>, signal?: AbortSignal) {
    this.#events = events;
    signal?.addEventListener("abort", () => this.stop());
  }

  push(sink: EventSink, onEnd: (failure?: unknown) => void): void {
    const run = async () => {
      let position = 0;
      for await (const event of this.#events(this.#stopped.promise)) {
        sink.write(new EventBatch([{ id: String(++position), event, position }]));
      }
    };
    const end = (failure?: unknown) => {
      sink.end();
      onEnd(failure);
    };
    run().then(() => end(), end);
  }

  stop(): void {
    this.#stopped.resolve();
  }

  async *[Symbol.asyncIterator]() {
    let position = 0;
    for await (const event of this.#events(this.#stopped.promise)) {
      yield tracked(String(++position), event);
    }
  }
}

const typing = (sender_name: string): RoomEvent => ({ type: "typing", sender_name });

function sampleRouter() {
  const t = initTRPC.context<object>().create({ isDev: false });
  const pushes = (events: (stopped: Promise<void>) => AsyncIterable<RoomEvent>) =>
    t.procedure.subscription(({ signal }) => new SampleEvents(events, signal));
  return t.router({
    three: pushes(async function* () {
      yield typing("one");
      yield typing('"é"\u2028');
      await sleep(1);
      yield typing("three");
    }),
    waits: pushes(async function* (stopped) {
      yield typing("first");
      await stopped;
    }),
    fails: pushes(async function* () {
      yield typing("first");
      await sleep(1);
      throw new Error("in the middle");
    }),
    refuses: t.procedure.subscription((): SampleEvents => {
      throw new Error("before it began");
    }),
    isLate: pushes(async function* (stopped) {
      await Promise.race([sleep(50), stopped]);
      yield typing("late");
    }),
    bigint: t.procedure.query(() => ({ n: 1n })),
    nothing: t.procedure.query(() => undefined),
  });
}

async function serve(by: "ours" | "theirs") {
  const log: string[] = [];
  const onError = ({ error }: { error: Error }) => void log.push(error.message);
  const shared = { router: sampleRouter(), maxBatchSize: 8, onError };
  const server = createServer();
  const wss = new WebSocketServer({ noServer: true, WebSocket: WsConnection });
  const ours = rpcHandler({
    ...shared,
    admitFrame: () => true,
    createContext: (_: WsConnection) => ({ hub: { tracer: null } }) as unknown as RequestContext,
  });
  const theirs = getWSConnectionHandler({ ...shared, wss, createContext: () => ({}) });
  server.on("upgrade", (request, line, head) =>
    wss.handleUpgrade(request, line, head, (client) => {
      client.line = line;
      (by === "ours" ? ours : theirs)(client, request);
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/trpc`);
  const received: string[] = [];
  socket.on("message", (data) => received.push(String(data)));
  await once(socket, "open");
  const close = async () => {
    socket.terminate();
    await eventually(() => expect(wss.clients.size).toBe(0));
    server.close();
  };
  const send = async (...messages: object[]) => {
    for (const message of messages) socket.send(JSON.stringify(message));
    // The response to this query shows that the server has read all messages before it.
    const before = received.filter(isLast).length;
    socket.send(JSON.stringify({ id: LAST, method: "query", params: { path: "nothing" } }));
    await eventually(() => expect(received.filter(isLast)).toHaveLength(before + 1));
    for (let count = -1; count < received.length; ) {
      count = received.length;
      await sleep(QUIET_MS);
    }
  };
  return { received, log, send, close };
}

const subscribe = (path: string, id: number | string = 1) => ({
  id,
  jsonrpc: "2.0",
  method: "subscription",
  params: { path },
});
const stop = (id: number | string = 1) => ({ id, method: "subscription.stop" });
const query = (path: string) => ({ id: 9, method: "query", params: { path } });

const paths = ["three", "waits", "fails", "refuses"];

it.each<[string, object[][]]>([
  ...paths.map((path): [string, object[][]] => [path, [[subscribe(path)]]]),
  ...paths.map((path): [string, object[][]] => [`${path}, stopped`, [[subscribe(path)], [stop()]]]),
  ...paths.map((path): [string, object[][]] => [
    `${path}, stopped at once`,
    [[subscribe(path), stop()]],
  ]),
  ["isLate", [[subscribe("isLate")]]],
  ["a duplicate id", [[subscribe("waits")], [subscribe("waits")], [stop(2)]]],
  ["one id twice, in turn", [[subscribe("waits")], [stop()], [subscribe("waits")], [stop()]]],
  ["many ids", [["a", 2, "3"].map((id) => subscribe("waits", id)), [stop(2)], [stop("a")]]],
  ["values that JSON can't encode", [[query("bigint")], [query("nothing")]]],
])("sends the messages of tRPC's own adapter: %s", async (_, turns) => {
  const [ours, theirs] = await Promise.all([serve("ours"), serve("theirs")]);
  for (const messages of turns) {
    await Promise.all([ours.send(...messages), theirs.send(...messages)]);
    await eventually(() => expect(rest(ours.received)).toEqual(rest(theirs.received)));
  }
  await Promise.all([ours.close(), theirs.close()]);
  await eventually(() => expect(ours.log).toEqual(theirs.log));
});
