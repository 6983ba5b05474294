import { setTimeout as sleep } from "node:timers/promises";
import { questionFor } from "../provider/stamped-words.ts";
import type { Scenario } from "../runner/bench.ts";
import { memoryMiB, takeTurns, valueAt, watched } from "../runner/measure.ts";
import { atMost, ratioGoal } from "../runner/report.ts";
import { placesIn } from "./faults/participant-orders.ts";
import { roomHubOf, startParticipants } from "./faults/room-hub.ts";

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
const SAMPLE_MS = 250;

const ALL_READ = { name: "all read", stuckPerRoom: 0 };
const STUCK = { name: "1 % don't", stuckPerRoom: 1 };

export const slowReaders: Scenario = {
  name: "B8 1 % of clients don't read",
  atMostSeconds: 150,
  async run(stage) {
    const [fillSeconds, measuredSeconds] = stage.size([5, 3], [0.2, 0.6]) as [number, number];
    const question = questionFor({
      words: ((fillSeconds + measuredSeconds + 1) * 1_000) / WORD_MS,
      everyMs: WORD_MS,
      chars: WORD_CHARS,
    });
    const hub = await roomHubOf(stage, 1);
    const ports = [hub.server.port];
    const rooms = await hub.rooms(stage.size(10, 1));
    const [participants, stuck] = [startParticipants(stage), startParticipants(stage)];
    const readers = placesIn(rooms, ports, { group: "readers", count: stage.size(99, 4) });
    await participants.ask({ do: "join", places: readers });

    const table = await takeTurns(stage, [ALL_READ, STUCK], ROUNDS, async ({ stuckPerRoom }) => {
      const [values, { cpuMs }] = await watched(hub.server.process, async () => {
        const replies = Promise.all(rooms.map((room) => hub.say(room, question)));
        const behaviour = { subscriptions: STUCK_SUBSCRIPTIONS, reads: false };
        const places = placesIn(rooms, ports, {
          group: "stuck",
          count: stuckPerRoom,
          ...behaviour,
        });
        await stuck.ask({ do: "join", places });
        await sleep(fillSeconds * 1_000);
        const measuring = participants.ask({ do: "measure", seconds: measuredSeconds });
        let unsent = 0;
        for (let ms = 0; ms < measuredSeconds * 1_000; ms += SAMPLE_MS) {
          unsent = Math.max(unsent, await hub.metric("soulhub_unsent_bytes"));
          await sleep(SAMPLE_MS);
        }
        const residentMiB = memoryMiB(hub.server.process.pid, "VmRSS");
        const { latencies, cpu } = await measuring;
        await replies;
        await stuck.ask({ do: "leave" });
        const { count, p50Ms, p95Ms, p99Ms } = latencies.readers ?? {};
        if (!count) throw new Error("the readers received no word");
        return {
          "deliveries/s": count / measuredSeconds,
          "p50 ms": (p50Ms ?? Number.NaN) - BATCH_MS,
          "p95 ms": (p95Ms ?? Number.NaN) - BATCH_MS,
          "p99 ms": (p99Ms ?? Number.NaN) - BATCH_MS,
          "unsent KiB per stuck client": stuckPerRoom ? unsent / 1_024 / places.length : 0,
          "resident MiB": residentMiB,
          "client CPU %": cpu * 100,
        };
      });
      return { ...values, "hub CPU ms": cpuMs };
    });
    const unsent = valueAt(table, STUCK.name, "unsent KiB per stuck client");
    const { states } = await participants.ask({ do: "report" });
    const broken = (states.readers ?? []).filter(({ faults }) => faults > 0).length;
    return {
      table,
      goals: [
        atMost("unsent KiB per stuck client", unsent, 256),
        ratioGoal(table, "p99 ms", { of: STUCK.name, to: ALL_READ.name, atMost: 1.2 }),
      ],
      faults: broken ? [`${hub.name}: ${broken} readers miss or repeat messages`] : [],
    };
  },
};
