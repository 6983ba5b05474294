import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getWSConnectionHandler } from "@trpc/server/adapters/ws";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { appRouter } from "../../../router.ts";
import { openRoom } from "../../../testing/chat-hub.ts";
import { eventually } from "../../../testing/eventually.ts";
import { startTestHub, type TestHub } from "../../../testing/test-hub.ts";
import { readCredentials } from "../../http/request-context.ts";
import { socketContext } from "../ws-context.ts";
import { MAX_FRAME_BYTES } from "../ws-limits.ts";
import { MAX_BATCH } from "../ws-server.ts";
import { type Exchange, exchanges, type Names, ROOM } from "./rpc-exchanges.fixture.ts";

/** Time without a message, in milliseconds, after which the test considers a response complete. */
const QUIET_MS = 800;
const CONCURRENCY = 32;

/** 0020: the hub's server sends the same messages as tRPC's own adapter. */
let hub: TestHub;
let adapter: { url: string; close(): void };
let names: Names;
beforeAll(async () => {
  hub = await startTestHub();
  adapter = await serveByAdapter(hub);
  const ada = await hub.member("ada");
  const { soul_id } = await openRoom(ada);
  names = { soul_id, apiKey: ada.apiKey };
});
afterAll(async () => {
  adapter?.close();
  await hub?.close();
});

/**
 * Serves the hub's router with tRPC's `getWSConnectionHandler`, which iterates over each
 * subscription.
 */
async function serveByAdapter({ hub }: TestHub) {
  const server = createServer();
  const wss = new WebSocketServer({ server, maxPayload: MAX_FRAME_BYTES });
  const credentials = readCredentials(hub, { headers: {}, ip: "127.0.0.1" });
  const serve = getWSConnectionHandler({
    wss,
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    createContext: ({ info }) => socketContext(hub, { credentials }, info.connectionParams ?? {}),
  });
  wss.on("connection", serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

it("the hub's server sends the messages of tRPC's own adapter", async () => {
  const all = exchanges(names);
  const next = all.entries();
  const received: Record<"ours" | "theirs", Record<string, unknown>> = { ours: {}, theirs: {} };
  let messages = 0;
  const worker = async () => {
    for (const [nth, { name, frames, query }] of next) {
      const [ours, theirs] = await Promise.all([connect(hub, query), connect(adapter, query)]);
      for (const turn of frames) {
        // The two sockets use different rooms, since both servers share one hub.
        await Promise.all([
          ours.send(inRoom(`${nth}-ours`, turn)),
          theirs.send(inRoom(`${nth}-theirs`, turn)),
        ]);
        // Waits until both servers have sent the same messages, since one of them may be slower.
        await eventually(() => expect(ours.received()).toEqual(theirs.received())).catch(
          () => undefined,
        );
      }
      received.ours[name] = ours.received();
      received.theirs[name] = theirs.received();
      messages += theirs.received().frames.length;
      ours.close();
      theirs.close();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  expect(received.ours).toEqual(received.theirs);
  // Proves that both servers sent messages. Two servers that send nothing would be equal, too.
  expect(messages).toBeGreaterThan(all.length);
}, 120_000);

async function connect({ url }: { url: string }, query = "") {
  const socket = new WebSocket(`${url.replace("http", "ws")}/trpc${query}`);
  const texts: string[] = [];
  let activeAt = 0;
  let code: number | undefined;
  const touch = () => {
    activeAt = performance.now();
  };
  socket.on("message", (data, isBinary) => {
    texts.push(`${isBinary ? "bytes " : ""}${data}`);
    touch();
  });
  socket.on("close", (given) => {
    code = given;
    touch();
  });
  await once(socket, "open");
  return {
    /** Messages are grouped by id, since the order of responses to different calls may differ. */
    received: () => ({ code, frames: byId(texts.map(normalized)) }),
    async send(turn: Exchange["frames"][number]) {
      touch();
      for (const frame of Array.isArray(turn) ? turn : [turn]) socket.send(frame);
      while (performance.now() - activeAt < QUIET_MS) await sleep(20);
    },
    close: () => socket.terminate(),
  };
}

const inRoom = (name: string, turn: Exchange["frames"][number]): Exchange["frames"][number] => {
  if (Array.isArray(turn)) return turn.flatMap((frame) => inRoom(name, frame));
  return typeof turn === "string" ? turn.replaceAll(ROOM, `${ROOM}-${name}`) : turn;
};

const idOf = (text: string) => /^\{"id":("(?:[^"\\]|\\.)*"|[^,]*)/.exec(text)?.[1] ?? text;

const byId = (texts: string[]): string[] =>
  texts
    .map((text, at) => ({ text, at, id: idOf(text) }))
    .sort((a, b) => a.id.localeCompare(b.id) || a.at - b.at)
    .map(({ text }) => text);

/** Removes differences between two connections: request ids, event numbers, times, guest names. */
const normalized = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/"(\d+)\.[0-9a-f]{8}\.\d+"/g, '"$1.<node>"')
    .replaceAll(/-(?:ours|theirs)"/g, '"')
    .replaceAll(/"(?:created_at|updated_at)":"[^"]*"/g, '"at":""');
