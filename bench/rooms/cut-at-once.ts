import { HUB, type Scenario } from "../runner/bench.ts";
import { watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { placesIn } from "./faults/participant-orders.ts";
import { roomHubOf, startParticipants } from "./faults/room-hub.ts";
import { scansBetween, tableScans } from "./faults/table-scans.ts";

/**
 * The longest random delay before a client reconnects. The first retry in packages/client has the
 * same limit.
 */
const RETURN_MS = 500;
const CONCURRENT_ROOMS = 10;

export const cutAtOnce: Scenario = {
  name: "B6 5,000 clients cut at once, 20 messages missed each",
  atMostSeconds: 150,
  async run(stage) {
    const hub = await roomHubOf(stage, 1);
    const rooms = await hub.rooms(stage.size(50, 2));
    const participants = startParticipants(stage);
    const places = placesIn(rooms, [hub.server.port], { group: "all", count: stage.size(100, 3) });
    await participants.ask({ do: "join", places });
    const report = async () => (await participants.ask({ do: "report" })).states.all ?? [];
    const before = await report();

    await participants.ask({ do: "cut" });
    // Each question gets a reply, so a client misses twice as many messages.
    const questions = stage.size(10, 2);
    const unwritten = [...rooms];
    const write = async () => {
      for (let room = unwritten.pop(); room; room = unwritten.pop()) {
        for (let n = 0; n < questions; n++) await hub.say(room, `You missed line ${n}.`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_ROOMS }, write));

    const scans = await tableScans(stage, hub.databaseUrl);
    const [returned, use] = await watched(hub.server.process, () =>
      participants.ask({ do: "return", withinMs: RETURN_MS }),
    );
    const after = await report();
    const { chat_messages: reads = 0 } = scansBetween(
      scans,
      await tableScans(stage, hub.databaseUrl),
    );
    const broken = after.filter(
      ({ messages, faults }, n) =>
        faults > 0 || messages - (before[n]?.messages ?? 0) !== 2 * questions,
    ).length;
    return {
      table: new Map([
        [
          HUB,
          {
            recovered: after.length - broken,
            "all back after s": returned.seconds,
            "reads of messages": reads,
            "CPU µs/client": (use.cpuMs * 1_000) / places.length,
            "peak MiB": use.peakMiB,
            "client CPU %": returned.cpu * 100,
          },
        ],
      ]),
      goals: [atMost("database reads, one per room", reads, rooms.length)],
      faults: broken
        ? [`${HUB}: ${broken} of ${places.length} clients miss or repeat messages`]
        : [],
    };
  },
};
