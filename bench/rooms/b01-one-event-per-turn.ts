import { BUN, HUB, SOCKET_IO, TRPC, WS } from "./contenders.ts";
import { measureFanOut } from "./fan-out.ts";
import type { Row } from "./row.ts";

/** Messages to a room of 500, one in each turn of the event loop: nothing can be gathered. */
export const row: Row = {
  id: "B1",
  work: "500 subscribers, 1 event per turn",
  atMostSeconds: 240,
  run: (tools) =>
    measureFanOut(tools, {
      names: [HUB, WS, SOCKET_IO, TRPC, BUN],
      // Short of 64 KB for each: a hub's reader who is further behind is no longer told what passes.
      order: { order: "burst", what: "message", events: 150, perTurn: 1 },
      goals: [
        { contender: SOCKET_IO, atLeast: 1 },
        { contender: WS, atLeast: 0.9 },
        { contender: TRPC, atLeast: 2.3 },
      ],
    }),
};
