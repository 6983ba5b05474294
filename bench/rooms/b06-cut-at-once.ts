import { watchProcess } from "../rest/pinned-process.ts";
import { startRoomHub } from "./faults/room-hub.ts";
import { startParticipants } from "./faults/start-participants.ts";
import { scansBetween, tableScans } from "./faults/table-scans.ts";
import type { Row } from "./row.ts";

const ROOMS = 50;
const PARTICIPANTS_PER_ROOM = 100;
const PARTICIPANTS = ROOMS * PARTICIPANTS_PER_ROOM;
/**
 * The number of questions asked while the clients are disconnected. Each question also gets a
 * reply.
 */
const LINES_MISSED = 10;
const MISSED = 2 * LINES_MISSED;
/**
 * The longest random delay, in milliseconds, before a client reconnects. The first retry in
 * packages/client has the same limit.
 */
const RETURN_MS = 500;
const CONCURRENT_JOINS = 100;
const CONCURRENT_ROOMS = 10;

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
    const participants = startParticipants();
    const places = Array.from({ length: PARTICIPANTS }, (_, n) => ({
      ports: [server.port],
      room: rooms[n % ROOMS] ?? { soul_id: 0, session_token: "" },
      agent: `participant-${n}`,
      group: "all",
      reads: true,
    }));
    await participants.ask({ do: "join", places, concurrency: CONCURRENT_JOINS });
    const before = (await participants.ask({ do: "report" })).states.all ?? [];

    await participants.ask({ do: "cut" });
    const unwritten = [...rooms];
    const write = async () => {
      for (let room = unwritten.pop(); room; room = unwritten.pop()) {
        for (let n = 0; n < LINES_MISSED; n++) await hub.say(room, `You missed line ${n}.`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_ROOMS }, write));

    const scans = await tableScans(databaseUrl);
    const watch = watchProcess(server.process);
    const returned = await participants.ask({ do: "return", withinMs: RETURN_MS });
    const use = watch.read();
    const after = (await participants.ask({ do: "report" })).states.all ?? [];
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
            recovered: `${whole} of ${PARTICIPANTS}`,
            "with a hole or repeat": String(repeated),
            "reads of messages": `${reads} for ${ROOMS} rooms`,
            "hub CPU ms": cpuMs.toFixed(0),
            "CPU µs/client": ((cpuMs * 1_000) / PARTICIPANTS).toFixed(0),
            "peak MiB": (use?.peakMiB ?? Number.NaN).toFixed(0),
          },
        },
      ],
      clientCpu: returned.cpu,
      verdicts: [
        {
          goal: "all recovered, none twice",
          measured: `${whole} of ${PARTICIPANTS}`,
          isReached: whole === PARTICIPANTS,
        },
        { goal: "database reads ≤ rooms", measured: `${reads}`, isReached: reads <= ROOMS },
      ],
    };
  },
};
