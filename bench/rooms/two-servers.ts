import { setTimeout as sleep } from "node:timers/promises";
import { questionFor } from "../provider/stamped-words.ts";
import type { Scenario } from "../runner/bench.ts";
import { takeTurns, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { placesIn } from "./faults/participant-orders.ts";
import { roomHubOf, startParticipants } from "./faults/room-hub.ts";

const ROUNDS = 9;
/**
 * Milliseconds between two words of a reply. The hub batches deltas for only 40 ms (DELTA_MS), so
 * each word is one event.
 */
const WORD_MS = 50;
const WORD_CHARS = 40;
/** Seconds of each reply that are not measured, at its beginning and at its end. */
const MARGIN_SECONDS = 1;

const ONE = "one server";
const NEAR = "two, where it is written";
const FAR = "two, the other server";

export const twoServers: Scenario = {
  name: "B11 two servers and Redis",
  atMostSeconds: 240,
  async run(stage) {
    const seconds = stage.size(3, 0.5);
    const margin = stage.size(MARGIN_SECONDS, 0.2);
    const perServer = stage.size(50, 2);
    const words = ((seconds + 2 * margin) * 1_000) / WORD_MS;
    const question = questionFor({ words, everyMs: WORD_MS, chars: WORD_CHARS });
    const [one, two] = [await roomHubOf(stage, 1), await roomHubOf(stage, 2)];
    const contenders = [];
    for (const { hub, clients } of [
      { hub: one, clients: [{ group: ONE, at: 0, count: 2 * perServer }] },
      {
        hub: two,
        clients: [
          { group: NEAR, at: 0, count: perServer },
          { group: FAR, at: 1, count: perServer },
        ],
      },
    ]) {
      const rooms = await hub.rooms(stage.size(10, 1));
      const places = clients.flatMap(({ group, at, count }) =>
        placesIn(rooms, [hub.servers[at]?.port ?? 0], { group, count }),
      );
      const groups = clients.map(({ group }) => group);
      contenders.push({ name: groups.at(-1) ?? "", hub, rooms, groups, places });
    }
    const participants = startParticipants(stage);
    const places = contenders.flatMap((contender) => contender.places);
    await participants.ask({ do: "join", places });

    const table = await takeTurns(stage, contenders, ROUNDS, async ({ hub, rooms, groups }) => {
      const [{ latencies, cpu }, use] = await watched(hub.server.process, async () => {
        const replies = Promise.all(rooms.map((room) => hub.say(room, question)));
        await sleep(margin * 1_000);
        const measured = await participants.ask({ do: "measure", seconds });
        await replies;
        return measured;
      });
      const values = groups.map((group) => {
        const { count = 0, p50Ms, p95Ms, p99Ms } = latencies[group] ?? {};
        if (count === 0) throw new Error(`${group}: no word arrived`);
        const due =
          (places.filter((place) => place.group === group).length * seconds * 1_000) / WORD_MS;
        return [
          [`of those due, %`, (100 * count) / due],
          [`p50 ms`, p50Ms],
          [`p95 ms`, p95Ms],
          [`p99 ms`, p99Ms],
        ].map(([column, value]) => [
          groups.length > 1 && group === NEAR ? `${column}, where it is written` : column,
          value,
        ]);
      });
      return {
        ...Object.fromEntries(values.flat()),
        "server CPU ms/s": use.cpuMs / use.seconds,
        "client CPU %": cpu * 100,
      };
    });
    const added = valueAt(table, FAR, "p50 ms") - valueAt(table, ONE, "p50 ms");
    return { table, goals: [atMost("p50 added to that of one server", added, 2, " ms")] };
  },
};
