import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "../rest/contenders.ts";
import { watchProcess } from "../rest/pinned-process.ts";
import { redisUrl } from "./faults/bench-redis.ts";
import { median } from "./faults/median.ts";
import type { Heard, PeopleResult, Place } from "./faults/people-orders.ts";
import { type RoomHub, type RoomName, startRoomHub } from "./faults/room-hub.ts";
import { askFor } from "./faults/stamped-speech.ts";
import { startPeople, startStampingProvider } from "./faults/start-people.ts";
import type { Row } from "./row.ts";

const ROOMS = 10;
const PEOPLE_PER_ROOM = 100;
const ROUNDS = 9;
/** Further apart than the hub gathers what is said (DELTA_MS, 40 ms): a word is one event, unless it was held up. */
const WORD_MS = 50;
const WORD_CHARS = 40;
const LISTEN_SECONDS = 3;
/** Words before and after that nobody measures. */
const MARGIN_SECONDS = 1;
const COMING_AT_A_TIME = 100;
const GOAL_MS = 3;

const SPEECH = askFor({
  words: ((LISTEN_SECONDS + 2 * MARGIN_SECONDS) * 1_000) / WORD_MS,
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
    const people = startPeople();
    const groups = [
      { group: "one server", hub: one, at: 0, share: 1 },
      { group: "two, where it is written", hub: two, at: 0, share: 0.5 },
      { group: "two, the other server", hub: two, at: 1, share: 0.5 },
    ];
    const rooms = new Map([one, two].map((hub) => [hub, [] as RoomName[]]));
    for (const [hub, own] of rooms) own.push(...(await hub.rooms(ROOMS)));
    const places = groups.flatMap(({ group, hub, at, share }) =>
      placesIn(rooms.get(hub) ?? [], hub.servers[at], { group, count: share * PEOPLE_PER_ROOM }),
    );
    await people.obey({ do: "join", places, atATime: COMING_AT_A_TIME });

    const speakIn = async (hub: RoomHub) => {
      const cpu = hub.servers.map(({ process }) => watchProcess(process));
      const spoken = Promise.all((rooms.get(hub) ?? []).map((room) => hub.say(room, SPEECH)));
      await sleep(MARGIN_SECONDS * 1_000);
      const result = await people.obey({ do: "listen", seconds: LISTEN_SECONDS });
      await spoken;
      return { result, cpuMs: cpu.map((watch) => watch.read()?.cpuMs ?? Number.NaN) };
    };
    for (const hub of [one, two]) await speakIn(hub);
    const slices = new Map([one, two].map((hub) => [hub, [] as Slice[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const hub of [one, two]) slices.get(hub)?.push(await speakIn(hub));
    }

    const of = ({ group, hub }: (typeof groups)[number], key: keyof Heard) =>
      median((slices.get(hub) ?? []).map(({ result }) => result.heard[group]?.[key] ?? Number.NaN));
    const [alone, , far] = groups.map((each) => of(each, "p99Ms"));
    const added = (far ?? Number.NaN) - (alone ?? Number.NaN);
    const expected = (LISTEN_SECONDS * 1_000) / WORD_MS;
    return {
      figures: groups.map((each) => {
        const taken = slices.get(each.hub) ?? [];
        const deliveries = of(each, "count");
        const listeners = ROOMS * PEOPLE_PER_ROOM * each.share;
        return {
          contender: each.group,
          values: {
            "deliveries/s": (deliveries / LISTEN_SECONDS).toFixed(0),
            "of those due": `${((100 * deliveries) / listeners / expected).toFixed(1)} %`,
            "p50 ms": of(each, "p50Ms").toFixed(1),
            "p95 ms": of(each, "p95Ms").toFixed(1),
            "p99 ms": of(each, "p99Ms").toFixed(1),
            "server CPU ms/s": (
              median(taken.map(({ cpuMs }) => cpuMs[each.at] ?? Number.NaN)) /
              (LISTEN_SECONDS + 2 * MARGIN_SECONDS)
            ).toFixed(0),
          },
        };
      }),
      clientCpu: median([...slices.values()].flat().map(({ result }) => result.cpu)),
      verdicts: [
        {
          goal: `p99 ≤ one server + ${GOAL_MS} ms`,
          measured: `${added >= 0 ? "+" : "−"} ${Math.abs(added).toFixed(1)} ms`,
          isReached: added <= GOAL_MS,
        },
      ],
    };
  },
};

interface Slice {
  result: PeopleResult;
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
