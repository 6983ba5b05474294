import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { watchProcess } from "../rest/pinned-process.ts";
import { median } from "./faults/median.ts";
import type { Heard, PeopleResult, Place } from "./faults/people-orders.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { askFor } from "./faults/stamped-speech.ts";
import { startPeople, startStampingProvider } from "./faults/start-people.ts";
import type { Row } from "./row.ts";

const ROOMS = 10;
const PEOPLE_PER_ROOM = 99;
const STUCK_PER_ROOM = 1;
const STUCK = ROOMS * STUCK_PER_ROOM;
/** As many as a socket may have: what the system itself holds for a connection is soon full. */
const STUCK_SUBSCRIPTIONS = 32;
const ROUNDS = 3;
/** The hub gathers what is said for so long (DELTA_MS): a word is one event, and so much older. */
const GATHER_MS = 40;
const WORD_MS = 50;
const WORD_CHARS = 1_024;
const FILL_SECONDS = 5;
const LISTEN_SECONDS = 3;
const COMING_AT_A_TIME = 100;
const LOOK_MS = 250;
const GOAL_KIB = 256;
const GOAL_RATIO = 1.2;

const SPEECH = askFor({
  words: ((FILL_SECONDS + LISTEN_SECONDS + 1) * 1_000) / WORD_MS,
  everyMs: WORD_MS,
  chars: WORD_CHARS,
});

interface Slice {
  result: PeopleResult;
  /** The most that waited in the hub's memory for people who don't read. */
  unsentKiB: number;
  residentKiB: number;
  cpuMs: number;
}

export const row: Row = {
  id: "B8",
  work: "1 % of clients don't read",
  atMostSeconds: 150,
  async run({ newDatabase, onEnd }) {
    const env = await startStampingProvider();
    const hub = await startRoomHub({ databaseUrl: await newDatabase(), onEnd, env });
    const [server] = hub.servers;
    if (!server) throw new Error("There is no server.");
    const rooms = await hub.rooms(ROOMS);
    const people = startPeople();
    const stuck = startPeople();
    const places = (group: string, count: number): Place[] =>
      rooms.flatMap((room) =>
        Array.from({ length: count }, (_, n) => ({
          ports: [server.port],
          room,
          agent: `${group} ${room.session_token} ${n}`,
          group,
          reads: group !== "stuck",
          ...(group === "stuck" ? { subscriptions: STUCK_SUBSCRIPTIONS } : {}),
        })),
      );
    const readers = places("readers", PEOPLE_PER_ROOM);
    await people.obey({ do: "join", places: readers, atATime: COMING_AT_A_TIME });

    const slice = async (isBeset: boolean): Promise<Slice> => {
      const spoken = Promise.all(rooms.map((room: RoomName) => hub.say(room, SPEECH)));
      const watch = watchProcess(server.process);
      if (isBeset) {
        await stuck.obey({ do: "join", places: places("stuck", STUCK_PER_ROOM) });
      }
      await sleep(FILL_SECONDS * 1_000);
      const listening = people.obey({ do: "listen", seconds: LISTEN_SECONDS });
      let unsent = 0;
      for (let n = 0; n < (LISTEN_SECONDS * 1_000) / LOOK_MS; n++) {
        unsent = Math.max(unsent, await hub.metric("soulhub_unsent_bytes"));
        await sleep(LOOK_MS);
      }
      const residentKiB = resident(server.process.pid);
      const result = await listening;
      await spoken;
      if (isBeset) await stuck.obey({ do: "leave" });
      const cpuMs = watch.read()?.cpuMs ?? Number.NaN;
      return { result, unsentKiB: unsent / 1_024, residentKiB, cpuMs };
    };
    await slice(false);
    const kinds = { "everybody reads": false, "1 % don't": true };
    const slices = new Map(Object.keys(kinds).map((kind) => [kind, [] as Slice[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [kind, isBeset] of Object.entries(kinds)) {
        slices.get(kind)?.push(await slice(isBeset));
      }
    }

    const of = (kind: string, read: (one: Slice) => number) =>
      median((slices.get(kind) ?? []).map(read));
    const heard = (key: Exclude<keyof Heard, "count">) => (one: Slice) =>
      (one.result.heard.readers?.[key] ?? Number.NaN) - GATHER_MS;
    const [usual = "", beset = ""] = Object.keys(kinds);
    const ratio = of(beset, heard("p99Ms")) / of(usual, heard("p99Ms"));
    const most = Math.max(...(slices.get(beset) ?? []).map(({ unsentKiB }) => unsentKiB)) / STUCK;
    return {
      figures: Object.keys(kinds).map((kind) => ({
        contender: kind,
        values: {
          "deliveries/s": (
            of(kind, (one) => one.result.heard.readers?.count ?? 0) / LISTEN_SECONDS
          ).toFixed(0),
          "p50 ms": of(kind, heard("p50Ms")).toFixed(1),
          "p95 ms": of(kind, heard("p95Ms")).toFixed(1),
          "p99 ms": of(kind, heard("p99Ms")).toFixed(1),
          "unsent KiB": of(kind, (one) => one.unsentKiB).toFixed(0),
          "resident MiB": (of(kind, (one) => one.residentKiB) / 1_024).toFixed(0),
          "hub CPU ms": of(kind, (one) => one.cpuMs).toFixed(0),
        },
      })),
      clientCpu: of(beset, (one) => one.result.cpu),
      verdicts: [
        {
          goal: `≤ ${GOAL_KIB} KiB each`,
          measured: `${most.toFixed(0)} KiB`,
          isReached: most > 0 && most <= GOAL_KIB,
        },
        {
          goal: `p99 of the others ≤ ${GOAL_RATIO} ×`,
          measured: `${ratio.toFixed(2)} ×`,
          isReached: ratio <= GOAL_RATIO,
        },
      ],
    };
  },
};

/** Of a process; NaN where the system does not tell (not Linux). */
function resident(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}
