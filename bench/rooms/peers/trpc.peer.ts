/**
 * A tRPC subscription as in its documentation: `on` of node:events, with `tracked` for every event.
 */
import { EventEmitter, on } from "node:events";
import type { AddressInfo } from "node:net";
import { initTRPC, tracked } from "@trpc/server";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { type BenchEvent, SYNC } from "./bench-event.ts";
import { serveRoom } from "./serve-room.ts";

const rooms = new EventEmitter().setMaxListeners(0);
const t = initTRPC.create();
const router = t.router({
  live: t.procedure
    .input(z.object({ room: z.string(), lastEventId: z.string().nullish() }))
    .subscription(async function* ({ input, signal }) {
      // The listener is attached before the sync is sent, so that no event is missed.
      const events = on(rooms, input.room, signal ? { signal } : {});
      yield tracked("sync", SYNC);
      for await (const [event] of events as AsyncIterable<[BenchEvent]>) {
        const id = event.type === "message" ? event.id : event.offset;
        yield tracked(String(id), event);
      }
    }),
});
const wss = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
applyWSSHandler({ wss, router });
wss.on("listening", () => {
  serveRoom((wss.address() as AddressInfo).port, (event) => {
    rooms.emit("room-0", event);
  });
});
