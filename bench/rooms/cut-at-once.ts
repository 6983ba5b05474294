import { HUB, type Scenario } from "../runner/bench.ts";
import { runStatement } from "../runner/bench-database.ts";
import { inLanes } from "../runner/lanes.ts";
import { watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { placesIn, roomHubOf, startParticipants } from "./room-hub.ts";
import { countScans } from "./table-scans.ts";

/**
 * The longest random delay before a client reconnects. The first retry in packages/client has the
 * same limit.
 */
const RETURN_MS = 500;
const CONCURRENT_ROOMS = 10;
const GROUP = "all";

export const cutAtOnce: Scenario = {
  name: "B6 5,000 clients cut at once, 20 messages missed each",
  atMostSeconds: 150,
  async run(stage) {
    const hub = await roomHubOf(stage, 1);
    const rooms = await hub.rooms(stage.size(50, 2));
    const { remote, process: clientProcess } = startParticipants(stage);
    const count = stage.size(100, 3);
    await remote.join(placesIn(rooms, { group: GROUP, count, ports: [hub.server.port] }));
    const before = await remote.states(GROUP);

    await remote.cut();
    // Each question gets a reply, so a client misses twice as many messages.
    const questions = stage.size(10, 2);
    await inLanes(CONCURRENT_ROOMS, rooms, async (room) => {
      for (let n = 0; n < questions; n++) await hub.say(room, `You missed line ${n}.`);
    });

    // The statement that reads a room without a title scans the table twice: it also looks up the
    // first message. With titles, the number of scans is the number of statements.
    await runStatement("update chat_rooms set title = 'Night watch'", hub.databaseUrl);
    const countReads = () => countScans(stage, hub.databaseUrl, ["chat_messages"]);
    const readsBefore = await countReads();
    const [, use] = await watched(
      hub.server.process,
      () => remote.return(RETURN_MS),
      clientProcess,
    );
    const after = await remote.states(GROUP);
    const reads = (await countReads()) - readsBefore;
    const broken = after.filter(
      ({ messages, faults }, n) =>
        faults > 0 || messages - (before[n]?.messages ?? 0) !== 2 * questions,
    ).length;
    const values = {
      recovered: after.length - broken,
      "all back after s": use.seconds,
      "reads of messages": reads,
      "CPU µs/client": (use.cpuMs * 1_000) / after.length,
      ...use.columns,
    };
    return {
      table: new Map([[HUB, values]]),
      goals: [atMost("database reads, one per room", reads, rooms.length)],
      faults: broken
        ? [`${HUB}: ${broken} of ${after.length} clients miss or repeat messages`]
        : [],
    };
  },
};
