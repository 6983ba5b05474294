import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { initTRPC, tracked } from "@trpc/server";
import { type Encoder, getWSConnectionHandler } from "@trpc/server/adapters/ws";
import type { Logger } from "pino";
import type { WebSocket, WebSocketServer } from "ws";
import type { RoomEvent } from "../rooms/room-events.ts";
import { introducingEncoder, SocketOutlet } from "./socket-outlet.ts";

const TURNS = 20;
const event: RoomEvent = { type: "typing", sender_name: "ada" };
const request = { url: "/trpc", headers: { host: "hub" } };

/**
 * Whether this version of tRPC says what ready frames are written to look like, and in the order
 * that they rely on. Asked at the start: if not, the hub says so and goes the plain way.
 */
export async function framesWillDo(
  log: Pick<Logger, "error">,
  encoder: Encoder = introducingEncoder,
): Promise<boolean> {
  const fault = await findFault(encoder).catch((error: unknown) => String(error));
  if (fault) log.error({ fault }, "live events take the slow way: tRPC is not as expected");
  return fault === null;
}

/** One subscription through tRPC's own handler, over a socket that only writes down what is said. */
async function findFault(encoder: Encoder): Promise<string | null> {
  const said: string[] = [];
  const line = { write: () => undefined, unsent: 0, whenSent: () => undefined };
  const outlet = new SocketOutlet(line, new Set(), true);
  let asked = 0;
  let saidBeforeSecond = 0;
  let aborted: AbortSignal | undefined;
  const t = initTRPC.create();
  const router = t.router({
    live: t.procedure.subscription(async function* ({ signal }) {
      aborted = signal;
      asked++;
      yield tracked("7.n.1", outlet.introduce(event));
      asked++;
      saidBeforeSecond = said.length;
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    }),
  });
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    send: (text: string) => void said.push(text),
    close: () => undefined,
  });
  const handle = getWSConnectionHandler({
    // Only passed on by tRPC, and read by nobody.
    wss: undefined as unknown as WebSocketServer,
    router,
    experimental_encoder: encoder,
  });
  handle(socket as unknown as WebSocket, request as IncomingMessage);
  const tell = (message: object) => socket.emit("message", Buffer.from(JSON.stringify(message)));
  const until = async (isSo: () => boolean) => {
    for (let n = 0; n < TURNS && !isSo(); n++) await turn();
  };

  tell({ id: 3, jsonrpc: "2.0", method: "subscription", params: { path: "live" } });
  await until(() => asked === 2);
  if (outlet.wording === undefined) return "the first event did not show its subscription's id";
  const [started, first] = said;
  if (started !== `${outlet.wording}{"type":"started"}}`) return `it starts with ${started}`;
  const text = outlet.textOf({ id: "7.n.1", event, position: 7 });
  if (first !== `${outlet.wording}${text}}`) return `an event reads ${first}`;
  if (saidBeforeSecond !== 2) return "an event is asked for before the last was sent";

  tell({ id: 3, method: "subscription.stop" });
  if (!aborted?.aborted) return "a subscription goes on after it was stopped";
  await until(() => said.length === 3);
  if (said[2] !== `${outlet.wording}{"type":"stopped"}}`) return `it stops with ${said[2]}`;
  return null;
}
