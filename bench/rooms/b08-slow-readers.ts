import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../median.ts";
import { watchProcess } from "../rest/pinned-process.ts";
import type { Latencies, ParticipantResult, Place } from "./faults/participant-orders.ts";
import { type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { questionFor } from "./faults/stamped-words.ts";
import { startParticipants, startStampingProvider } from "./faults/start-participants.ts";
import type { Row } from "./row.ts";

const ROOMS = 10;
const PARTICIPANTS_PER_ROOM = 99;
const STUCK_PER_ROOM = 1;
const STUCK = ROOMS * STUCK_PER_ROOM;
/**
 * The number of subscriptions that the hub allows per socket. With so many, a client that stops
 * reading soon fills the kernel's buffers.
 */
const STUCK_SUBSCRIPTIONS = 32;
const ROUNDS = 3;
/**
 * The hub's batch time for deltas (DELTA_MS). Words are sent at longer intervals, so each word is
 * one event, and its latency includes this time.
 */
const BATCH_MS = 40;
const WORD_MS = 50;
const WORD_CHARS = 1_024;
const FILL_SECONDS = 5;
const MEASURED_SECONDS = 3;
const CONCURRENT_JOINS = 100;
const SAMPLE_MS = 250;
const GOAL_KIB = 256;
const GOAL_RATIO = 1.2;

const QUESTION = questionFor({
  words: ((FILL_SECONDS + MEASURED_SECONDS + 1) * 1_000) / WORD_MS,
  everyMs: WORD_MS,
  chars: WORD_CHARS,
});

interface Slice {
  result: ParticipantResult;
  /** The largest number of KiB that the server buffered for clients that don't read. */
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
    const participants = startParticipants();
    const stuck = startParticipants();
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
    const readers = places("readers", PARTICIPANTS_PER_ROOM);
    await participants.ask({ do: "join", places: readers, concurrency: CONCURRENT_JOINS });

    const slice = async (hasStuckClients: boolean): Promise<Slice> => {
      const replies = Promise.all(rooms.map((room: RoomName) => hub.say(room, QUESTION)));
      const watch = watchProcess(server.process);
      if (hasStuckClients) {
        await stuck.ask({ do: "join", places: places("stuck", STUCK_PER_ROOM) });
      }
      await sleep(FILL_SECONDS * 1_000);
      const measuring = participants.ask({ do: "measure", seconds: MEASURED_SECONDS });
      let unsent = 0;
      for (let n = 0; n < (MEASURED_SECONDS * 1_000) / SAMPLE_MS; n++) {
        unsent = Math.max(unsent, await hub.metric("soulhub_unsent_bytes"));
        await sleep(SAMPLE_MS);
      }
      const residentKiB = resident(server.process.pid);
      const result = await measuring;
      await replies;
      if (hasStuckClients) await stuck.ask({ do: "leave" });
      const cpuMs = watch.read()?.cpuMs ?? Number.NaN;
      return { result, unsentKiB: unsent / 1_024, residentKiB, cpuMs };
    };
    await slice(false);
    const kinds = { "all read": false, "1 % don't": true };
    const slices = new Map(Object.keys(kinds).map((kind) => [kind, [] as Slice[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [kind, hasStuckClients] of Object.entries(kinds)) {
        slices.get(kind)?.push(await slice(hasStuckClients));
      }
    }

    const of = (kind: string, read: (one: Slice) => number) =>
      median((slices.get(kind) ?? []).map(read));
    const latencies = (key: Exclude<keyof Latencies, "count">) => (one: Slice) =>
      (one.result.latencies.readers?.[key] ?? Number.NaN) - BATCH_MS;
    const [allRead = "", withStuckClients = ""] = Object.keys(kinds);
    const ratio = of(withStuckClients, latencies("p99Ms")) / of(allRead, latencies("p99Ms"));
    const most =
      Math.max(...(slices.get(withStuckClients) ?? []).map(({ unsentKiB }) => unsentKiB)) / STUCK;
    return {
      figures: Object.keys(kinds).map((kind) => ({
        contender: kind,
        values: {
          "deliveries/s": (
            of(kind, (one) => one.result.latencies.readers?.count ?? 0) / MEASURED_SECONDS
          ).toFixed(0),
          "p50 ms": of(kind, latencies("p50Ms")).toFixed(1),
          "p95 ms": of(kind, latencies("p95Ms")).toFixed(1),
          "p99 ms": of(kind, latencies("p99Ms")).toFixed(1),
          "unsent KiB": of(kind, (one) => one.unsentKiB).toFixed(0),
          "resident MiB": (of(kind, (one) => one.residentKiB) / 1_024).toFixed(0),
          "hub CPU ms": of(kind, (one) => one.cpuMs).toFixed(0),
        },
      })),
      clientCpu: of(withStuckClients, (one) => one.result.cpu),
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

/** Returns the resident memory of a process in KiB; NaN on systems other than Linux. */
function resident(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}
