import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { initTRPC, tracked } from "@trpc/server";
import { getWSConnectionHandler } from "@trpc/server/adapters/ws";
import { expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { DoorContext } from "../../context.ts";
import { eventually } from "../../testing/eventually.ts";
import { HubSocket } from "../hub-socket.ts";
import { rpcHandler } from "./rpc-handler.ts";

const QUIET_MS = 100;
/** The last question of a turn. */
const LAST = "last";
const isLast = (text: string) => text.startsWith(`{"id":"${LAST}"`);
const rest = (said: string[]) => said.filter((text) => !isLast(text));
const stopped = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));

/** Every kind of subscription that a router could have; the hub's own pushes (rpc-contract.test.ts). */
function sampleRouter(log: string[]) {
  const t = initTRPC.context<object>().create({ isDev: false });
  const subscription = t.procedure;
  return t.router({
    three: subscription.subscription(async function* () {
      yield 1;
      yield tracked("two", { n: 2 });
      await sleep(1);
      yield undefined;
    }),
    waits: subscription.subscription(async function* ({ signal }) {
      try {
        yield "first";
        await stopped(signal);
        yield "never";
      } finally {
        log.push("cleaned up");
      }
    }),
    goesOn: subscription.subscription(async function* () {
      for (let n = 0; ; n++) {
        yield n;
        await sleep(10_000, undefined, { ref: false });
      }
    }),
    fails: subscription.subscription(async function* () {
      yield 1;
      await sleep(1);
      throw new Error("in the middle");
    }),
    failsInTheEnd: subscription.subscription(async function* ({ signal }) {
      yield 1;
      await stopped(signal);
      throw new Error("while it is stopped");
    }),
    refuses: subscription.subscription(() => {
      throw new Error("before it began");
    }),
    isLate: subscription.subscription(async function* () {
      await sleep(50);
      yield 1;
    }),
    iterates: subscription.subscription(({ signal }) => {
      const rest = [1, 2];
      const events = {
        next: async () => {
          if (rest.length === 0) await stopped(signal);
          const value = rest.shift();
          return value ? { done: false, value } : { done: true, value: undefined };
        },
        return: async () => {
          log.push("returned");
          return { done: true, value: undefined };
        },
        [Symbol.asyncIterator]: () => events,
      };
      return events as AsyncIterableIterator<number>;
    }),
    bigint: t.procedure.query(() => ({ n: 1n })),
    nothing: t.procedure.query(() => undefined),
  });
}

async function serve(by: "ours" | "theirs") {
  const log: string[] = [];
  const onError = ({ error }: { error: Error }) => void log.push(error.message);
  const shared = { router: sampleRouter(log), maxBatchSize: 8, onError };
  const server = createServer();
  const wss = new WebSocketServer({ noServer: true, WebSocket: HubSocket });
  const ours = rpcHandler({
    ...shared,
    createContext: (_: HubSocket) => ({}) as unknown as DoorContext,
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
  const said: string[] = [];
  socket.on("message", (data) => said.push(String(data)));
  await once(socket, "open");
  const close = async () => {
    socket.terminate();
    await eventually(() => expect(wss.clients.size).toBe(0));
    server.close();
  };
  const tell = async (...messages: object[]) => {
    for (const message of messages) socket.send(JSON.stringify(message));
    // What comes of them, at least its beginning, comes before the answer to this.
    const asked = said.filter(isLast).length;
    socket.send(JSON.stringify({ id: LAST, method: "query", params: { path: "nothing" } }));
    await eventually(() => expect(said.filter(isLast)).toHaveLength(asked + 1));
    for (let heard = -1; heard < said.length; ) {
      heard = said.length;
      await sleep(QUIET_MS);
    }
  };
  return { said, log, tell, close };
}

const subscribe = (path: string, id: number | string = 1) => ({
  id,
  jsonrpc: "2.0",
  method: "subscription",
  params: { path },
});
const stop = (id: number | string = 1) => ({ id, method: "subscription.stop" });
const query = (path: string) => ({ id: 9, method: "query", params: { path } });

const paths = ["three", "waits", "fails", "failsInTheEnd", "refuses", "isLate", "iterates"];

it.each<[string, object[][]]>([
  ...paths.map((path): [string, object[][]] => [path, [[subscribe(path)]]]),
  ...paths.map((path): [string, object[][]] => [`${path}, stopped`, [[subscribe(path)], [stop()]]]),
  ...paths.map((path): [string, object[][]] => [
    `${path}, stopped at once`,
    [[subscribe(path), stop()]],
  ]),
  ["goesOn", [[subscribe("goesOn")], [subscribe("goesOn")], [stop(2)]]],
  ["one id twice, in turn", [[subscribe("waits")], [stop()], [subscribe("waits")], [stop()]]],
  ["many ids", [["a", 2, "3"].map((id) => subscribe("waits", id)), [stop(2)], [stop("a")]]],
  ["what JSON has no word for", [[query("bigint")], [query("nothing")]]],
])("is served as by tRPC's own adapter: %s", async (_, turns) => {
  const [ours, theirs] = await Promise.all([serve("ours"), serve("theirs")]);
  for (const messages of turns) {
    await Promise.all([ours.tell(...messages), theirs.tell(...messages)]);
    await eventually(() => expect(rest(ours.said)).toEqual(rest(theirs.said)));
  }
  // Whoever goes without a word has stopped, too.
  await Promise.all([ours.close(), theirs.close()]);
  await eventually(() => expect(ours.log).toEqual(theirs.log));
});
