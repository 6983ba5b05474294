import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { initTRPC, tracked } from "@trpc/server";
import { type Encoder, getWSConnectionHandler, jsonEncoder } from "@trpc/server/adapters/ws";
import type { Logger } from "pino";
import type { WebSocket, WebSocketServer } from "ws";
import type { DoorContext, PushedEvents } from "../context.ts";
import { HubError } from "../errors.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { HubMeta } from "../trpc.ts";
import { rpcHandler } from "./rpc/rpc-handler.ts";
import { SocketOutlet } from "./socket-outlet.ts";

const TURNS = 20;
const MAX_BATCH = 2;
/** RFC 6455 §5.2: lengths up to this one stand in the second byte of a frame. */
const SHORT_MAX = 125;
const event: RoomEvent = { type: "typing", sender_name: "ada" };
const id = "7.n.1";

/** What a client may say, each with as much as is answered in the end. */
const EXCHANGE: [said: unknown, answers: number][] = [
  [{ id: 3, jsonrpc: "2.0", method: "subscription", params: { path: "live" } }, 2],
  [{ id: 3, method: "subscription", params: { path: "live" } }, 3],
  [{ id: 3, method: "subscription.stop" }, 4],
  [{ id: "4", method: "query", params: { path: "answer", input: 1 } }, 5],
  [{ id: 5, jsonrpc: "2.0", method: "query", params: { path: "refused" } }, 6],
  [{ id: 6, method: "mutation", params: { path: "no.such" } }, 7],
  [[1, 2, 3], 8],
  ["not a call", 9],
];

/**
 * Whether this version of tRPC says what the hub says in its place. Asked at the start: if not, the
 * hub says so, and leaves its sockets to tRPC's own adapter.
 */
export async function framesWillDo(
  log: Pick<Logger, "error">,
  encoder: Encoder = jsonEncoder,
): Promise<boolean> {
  const fault = await findFault(encoder).catch((error: unknown) => String(error));
  if (fault) log.error({ fault }, "live events take the slow way: tRPC is not as expected");
  return fault === null;
}

async function findFault(encoder: Encoder): Promise<string | null> {
  const onError = () => undefined;
  const shared = { router: sampleRouter(), maxBatchSize: MAX_BATCH, onError };
  const theirs = getWSConnectionHandler({
    ...shared,
    // Only passed on by tRPC, and read by nobody.
    wss: undefined as unknown as WebSocketServer,
    experimental_encoder: encoder,
    createContext: () => ({}),
  });
  const ours = rpcHandler({
    ...shared,
    createContext: (socket: SampleSocket) => ({ connection: socket }) as unknown as DoorContext,
  });
  const request = { url: "/trpc", headers: { host: "hub" } };
  const asked = new SampleSocket();
  theirs(asked as unknown as WebSocket, request as Parameters<typeof theirs>[1]);
  const expected = await exchange(asked);
  const socket = new SampleSocket();
  ours(socket, request);
  const said = await exchange(socket);
  const at = Math.max(expected.length, said.length);
  for (let n = 0; n < at; n++) {
    if (said[n] !== expected[n]) return `${said[n]} would be ${expected[n]}`;
  }
  return expected.length === EXCHANGE.at(-1)?.[1] ? null : `it says ${expected.length} things`;
}

async function exchange(socket: SampleSocket): Promise<string[]> {
  for (const [said, answers] of EXCHANGE) {
    socket.emit("message", Buffer.from(JSON.stringify(said)), false);
    for (let n = 0; n < TURNS && socket.said.length < answers; n++) await turn();
  }
  return socket.said;
}

/** Writes down what is said to it. */
class SampleSocket extends EventEmitter {
  readonly said: string[] = [];
  readonly readyState = 1;
  readonly isOpen = true;
  readonly unsent = 0;
  send = (text: string) => void this.said.push(text);
  say = this.send;
  close = () => undefined;
  whenSent = () => undefined;

  /** Texts of less than 64 KB, each in a frame. */
  write(bytes: Uint8Array): void {
    const frames = Buffer.from(bytes);
    for (let at = 0; at < frames.length; ) {
      const isShort = frames.readUInt8(at + 1) <= SHORT_MAX;
      const begin = at + (isShort ? 2 : 4);
      const end = begin + (isShort ? frames.readUInt8(at + 1) : frames.readUInt16BE(at + 2));
      this.said.push(frames.toString("utf8", begin, end));
      at = end;
    }
  }
}

/** One event, as tRPC asks for it and as an outlet is filled with it. */
class Sample implements PushedEvents {
  readonly #outlet: SocketOutlet | undefined;
  readonly #stopped = Promise.withResolvers<void>();

  constructor(socket: SampleSocket | undefined) {
    this.#outlet = socket && new SocketOutlet(socket, new Set());
  }

  push(wording: string, onEnd: () => void): void {
    this.#outlet?.start(wording);
    const text = this.#outlet?.textOf({ id, event, position: 7 });
    if (text) this.#outlet?.write(this.#outlet.framesOf([text]));
    void this.#stopped.promise.then(onEnd);
  }

  stop(): void {
    this.#stopped.resolve();
  }

  async *[Symbol.asyncIterator]() {
    yield tracked(id, event);
    await this.#stopped.promise;
  }
}

function sampleRouter() {
  const t = initTRPC.context<object>().meta<HubMeta>().create({ isDev: false });
  return t.router({
    live: t.procedure.meta({ pushes: true }).subscription(({ ctx, signal }) => {
      const sample = new Sample((ctx as { connection?: SampleSocket }).connection);
      signal?.addEventListener("abort", () => sample.stop());
      return sample;
    }),
    answer: t.procedure.query(() => ({ text: "é", list: [1, null] })),
    refused: t.procedure.query(() => {
      throw new HubError("not_owner");
    }),
  });
}
