/** A tRPC subscription as its docs show it: `on` of node:events, and every event tracked. */
import { EventEmitter, on } from "node:events";
import type { AddressInfo } from "node:net";
import { initTRPC, tracked } from "@trpc/server";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { obeyOrders } from "./obey-orders.ts";
import { SYNC, type ToldEvent } from "./peer-protocol.ts";

const rooms = new EventEmitter().setMaxListeners(0);
const t = initTRPC.create();
const router = t.router({
  live: t.procedure
    .input(z.object({ room: z.string(), lastEventId: z.string().nullish() }))
    .subscription(async function* ({ input, signal }) {
      // Listens before anything is said, so that nothing falls between.
      const events = on(rooms, input.room, signal ? { signal } : {});
      yield tracked("sync", SYNC);
      for await (const [event] of events as AsyncIterable<[ToldEvent]>) {
        const id = event.type === "message" ? event.id : event.offset;
        yield tracked(String(id), event);
      }
    }),
});
const wss = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
applyWSSHandler({ wss, router });
wss.on("listening", () => {
  obeyOrders({ port: (wss.address() as AddressInfo).port }, (event) => {
    rooms.emit("room-0", event);
  });
});
