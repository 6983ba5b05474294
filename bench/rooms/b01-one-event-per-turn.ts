import { BUN, HUB, SOCKET_IO, TRPC, WS } from "./contenders.ts";
import { measureFanOut } from "./fan-out.ts";
import type { Row } from "./row.ts";

/**
 * Broadcasts messages to a room of 500 clients. Each turn of the event loop has one message, so
 * that none are batched.
 */
export const row: Row = {
  id: "B1",
  work: "500 subscribers, 1 event per turn",
  atMostSeconds: 240,
  run: (tools) =>
    measureFanOut(tools, {
      names: [HUB, WS, SOCKET_IO, TRPC, BUN],
      // Few enough events to keep each client's backlog below 64 KB. The hub drops transient events
      // for clients with a larger backlog.
      order: { order: "burst", what: "message", events: 150, perTurn: 1 },
      goals: [
        { contender: SOCKET_IO, atLeast: 1 },
        { contender: WS, atLeast: 0.9 },
        { contender: TRPC, atLeast: 2.3 },
      ],
    }),
};
