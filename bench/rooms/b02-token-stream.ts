import { BUN, HUB, SOCKET_IO, TRPC, WS } from "./contenders.ts";
import { measureFanOut } from "./fan-out.ts";
import type { Row } from "./row.ts";

/**
 * Broadcasts reply deltas to a room of 500 clients, eight deltas in each turn of the event loop.
 */
export const row: Row = {
  id: "B2",
  work: "token stream, 8 per turn",
  atMostSeconds: 240,
  run: (tools) =>
    measureFanOut(tools, {
      names: [HUB, WS, SOCKET_IO, TRPC, BUN],
      order: { order: "burst", what: "reply-delta", events: 160, perTurn: 8 },
      goals: [{ contender: SOCKET_IO, atLeast: 5 }],
    }),
};
