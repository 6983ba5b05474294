import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../median.ts";
import type { Contender } from "../rest/contenders.ts";
import { watchProcess } from "../rest/pinned-process.ts";
import { redisUrl } from "./faults/bench-redis.ts";
import type { Latencies, ParticipantResult, Place } from "./faults/participant-orders.ts";
import { type RoomHub, type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { questionFor } from "./faults/stamped-words.ts";
import { startParticipants, startStampingProvider } from "./faults/start-participants.ts";
import type { Row } from "./row.ts";

const ROOMS = 10;
const PARTICIPANTS_PER_ROOM = 100;
const ROUNDS = 9;
/**
 * Milliseconds between two words of a reply. The hub batches deltas for only 40 ms (DELTA_MS), so
 * each word is one event.
 */
const WORD_MS = 50;
const WORD_CHARS = 40;
const MEASURED_SECONDS = 3;
/** Seconds of each reply that are not measured, at its beginning and at its end. */
const MARGIN_SECONDS = 1;
const CONCURRENT_JOINS = 100;
const GOAL_MS = 2;

const QUESTION = questionFor({
  words: ((MEASURED_SECONDS + 2 * MARGIN_SECONDS) * 1_000) / WORD_MS,
  everyMs: WORD_MS,
  chars: WORD_CHARS,
});

export const row: Row = {
  id: "B11",
  work: "two servers and Redis",
  atMostSeconds: 240,
  async run({ newDatabase, onEnd }) {
    const env = await startStampingProvider();
    const one = await startRoomHub({ databaseUrl: await newDatabase(), onEnd, env });
    const two = await startRoomHub({
      databaseUrl: await newDatabase(),
      onEnd,
      env: { ...env, REDIS_URL: redisUrl() },
      servers: 2,
    });
    const participants = startParticipants();
    const groups = [
      { group: "one server", hub: one, at: 0, share: 1 },
      { group: "two, where it is written", hub: two, at: 0, share: 0.5 },
      { group: "two, the other server", hub: two, at: 1, share: 0.5 },
    ];
    const rooms = new Map([one, two].map((hub) => [hub, [] as RoomName[]]));
    for (const [hub, own] of rooms) own.push(...(await hub.rooms(ROOMS)));
    const places = groups.flatMap(({ group, hub, at, share }) =>
      placesIn(rooms.get(hub) ?? [], hub.servers[at], {
        group,
        count: share * PARTICIPANTS_PER_ROOM,
      }),
    );
    await participants.ask({ do: "join", places, concurrency: CONCURRENT_JOINS });

    const takeSlice = async (hub: RoomHub) => {
      const cpu = hub.servers.map(({ process }) => watchProcess(process));
      const replies = Promise.all((rooms.get(hub) ?? []).map((room) => hub.say(room, QUESTION)));
      await sleep(MARGIN_SECONDS * 1_000);
      const result = await participants.ask({ do: "measure", seconds: MEASURED_SECONDS });
      await replies;
      return { result, cpuMs: cpu.map((watch) => watch.read()?.cpuMs ?? Number.NaN) };
    };
    for (const hub of [one, two]) await takeSlice(hub);
    const slices = new Map([one, two].map((hub) => [hub, [] as Slice[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const hub of [one, two]) slices.get(hub)?.push(await takeSlice(hub));
    }

    const of = ({ group, hub }: (typeof groups)[number], key: keyof Latencies) =>
      median(
        (slices.get(hub) ?? []).map(({ result }) => result.latencies[group]?.[key] ?? Number.NaN),
      );
    const [alone, , far] = groups.map((each) => of(each, "p50Ms"));
    const added = (far ?? Number.NaN) - (alone ?? Number.NaN);
    const expected = (MEASURED_SECONDS * 1_000) / WORD_MS;
    return {
      figures: groups.map((each) => {
        const taken = slices.get(each.hub) ?? [];
        const deliveries = of(each, "count");
        const clients = ROOMS * PARTICIPANTS_PER_ROOM * each.share;
        return {
          contender: each.group,
          values: {
            "deliveries/s": (deliveries / MEASURED_SECONDS).toFixed(0),
            "of those due": `${((100 * deliveries) / clients / expected).toFixed(1)} %`,
            "p50 ms": of(each, "p50Ms").toFixed(1),
            "p95 ms": of(each, "p95Ms").toFixed(1),
            "p99 ms": of(each, "p99Ms").toFixed(1),
            "server CPU ms/s": (
              median(taken.map(({ cpuMs }) => cpuMs[each.at] ?? Number.NaN)) /
              (MEASURED_SECONDS + 2 * MARGIN_SECONDS)
            ).toFixed(0),
          },
        };
      }),
      clientCpu: median([...slices.values()].flat().map(({ result }) => result.cpu)),
      verdicts: [
        {
          goal: `p50 ≤ one server + ${GOAL_MS} ms`,
          measured: `${added >= 0 ? "+" : "−"} ${Math.abs(added).toFixed(1)} ms`,
          isReached: added <= GOAL_MS,
        },
      ],
    };
  },
};

interface Slice {
  result: ParticipantResult;
  cpuMs: number[];
}

function placesIn(
  rooms: RoomName[],
  server: Contender | undefined,
  { group, count }: { group: string; count: number },
): Place[] {
  return rooms.flatMap((room) =>
    Array.from({ length: count }, (_, n) => ({
      ports: [server?.port ?? 0],
      room,
      agent: `${group} ${room.session_token} ${n}`,
      group,
      reads: true,
    })),
  );
}
