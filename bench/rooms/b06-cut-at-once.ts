import { watchProcess } from "../rest/pinned-process.ts";
import { scansBetween, tableScans } from "./faults/database-witness.ts";
import { startRoomHub } from "./faults/room-hub.ts";
import { startPeople } from "./faults/start-people.ts";
import type { Row } from "./row.ts";

const ROOMS = 50;
const PEOPLE_PER_ROOM = 100;
const PEOPLE = ROOMS * PEOPLE_PER_ROOM;
/** Each is a line and its reply. */
const LINES_MISSED = 10;
const MISSED = 2 * LINES_MISSED;
/** As packages/client spreads its first try. */
const RETURN_MS = 500;
const COMING_AT_A_TIME = 100;
const ROOMS_WRITTEN_AT_A_TIME = 10;

export const row: Row = {
  id: "B6",
  work: "5,000 clients cut at once, 20 missed each",
  atMostSeconds: 150,
  async run({ newDatabase, onEnd }) {
    const databaseUrl = await newDatabase();
    const hub = await startRoomHub({ databaseUrl, onEnd });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const rooms = await hub.rooms(ROOMS);
    const people = startPeople();
    const places = Array.from({ length: PEOPLE }, (_, n) => ({
      ports: [server.port],
      room: rooms[n % ROOMS] ?? { soul_id: 0, session_token: "" },
      agent: `person-${n}`,
      group: "all",
      reads: true,
    }));
    await people.obey({ do: "join", places, atATime: COMING_AT_A_TIME });
    const before = (await people.obey({ do: "tell" })).told.all ?? [];

    await people.obey({ do: "cut" });
    const unwritten = [...rooms];
    const write = async () => {
      for (let room = unwritten.pop(); room; room = unwritten.pop()) {
        for (let n = 0; n < LINES_MISSED; n++) await hub.say(room, `You missed line ${n}.`);
      }
    };
    await Promise.all(Array.from({ length: ROOMS_WRITTEN_AT_A_TIME }, write));

    const scans = await tableScans(databaseUrl);
    const watch = watchProcess(server.process);
    const returned = await people.obey({ do: "return", withinMs: RETURN_MS });
    const use = watch.read();
    const after = (await people.obey({ do: "tell" })).told.all ?? [];
    const reads = scansBetween(scans, await tableScans(databaseUrl)).chat_messages ?? 0;

    const whole = after.filter(
      ({ messages, faults }, n) => faults === 0 && messages - (before[n]?.messages ?? 0) === MISSED,
    ).length;
    const repeated = after.filter(({ faults }) => faults > 0).length;
    const cpuMs = use?.cpuMs ?? Number.NaN;
    return {
      figures: [
        {
          contender: "Soul Hub",
          values: {
            "all back after s": returned.seconds.toFixed(1),
            recovered: `${whole} of ${PEOPLE}`,
            "with a hole or repeat": String(repeated),
            "reads of messages": `${reads} for ${ROOMS} rooms`,
            "hub CPU ms": cpuMs.toFixed(0),
            "CPU µs/client": ((cpuMs * 1_000) / PEOPLE).toFixed(0),
            "peak MiB": (use?.peakMiB ?? Number.NaN).toFixed(0),
          },
        },
      ],
      clientCpu: returned.cpu,
      verdicts: [
        {
          goal: "all recovered, none twice",
          measured: `${whole} of ${PEOPLE}`,
          isReached: whole === PEOPLE,
        },
        { goal: "database reads ≤ rooms", measured: `${reads}`, isReached: reads <= ROOMS },
      ],
    };
  },
};
