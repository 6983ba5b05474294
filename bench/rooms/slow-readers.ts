import { setTimeout as sleep } from "node:timers/promises";
import { questionFor } from "../provider/words.ts";
import type { Scenario } from "../runner/bench.ts";
import { takeTurns, valueAt, watched } from "../runner/measure.ts";
import { atMost, ratioGoal } from "../runner/report.ts";
import { placesIn, roomHubOf, startParticipants } from "./room-hub.ts";

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

const READERS = "readers";
const ALL_READ = { name: "all read", stuckPerRoom: 0 };
const STUCK = { name: "1 % don't", stuckPerRoom: 1 };
const UNSENT = "unsent KiB per stuck client";

export const slowReaders: Scenario = {
  name: "B8 1 % of clients don't read",
  atMostSeconds: 150,
  async run(stage) {
    const [fillSeconds, seconds] = stage.size([5, 3], [0.2, 0.6]) as [number, number];
    const words = ((fillSeconds + seconds + 1) * 1_000) / WORD_MS;
    const question = questionFor({ words, everyMs: WORD_MS, chars: WORD_CHARS });
    const hub = await roomHubOf(stage, 1);
    const ports = [hub.server.port];
    const rooms = await hub.rooms(stage.size(10, 1));
    const [readers, stuck] = [startParticipants(stage), startParticipants(stage)];
    const { remote } = readers;
    await remote.join(placesIn(rooms, { group: READERS, count: stage.size(99, 4), ports }));

    const measureReply = async (stuckPerRoom: number) => {
      const replies = Promise.all(rooms.map((room) => hub.say(room, question)));
      const hostile = { group: "stuck", subscriptions: STUCK_SUBSCRIPTIONS, isStuck: true, ports };
      const places = placesIn(rooms, { ...hostile, count: stuckPerRoom });
      await stuck.remote.join(places);
      await sleep(fillSeconds * 1_000);
      const measuring = remote.measure([READERS], seconds);
      let unsent = 0;
      for (let ms = 0; ms < seconds * 1_000; ms += SAMPLE_MS) {
        unsent = Math.max(unsent, await hub.metric("soulhub_unsent_bytes"));
        await sleep(SAMPLE_MS);
      }
      const [{ count, p50, p99 } = { count: 0, p50: 0, p99: 0 }] = await measuring;
      await replies;
      await stuck.remote.leave();
      return {
        "deliveries/s": count / seconds,
        "p50 ms": p50 - BATCH_MS,
        "p99 ms": p99 - BATCH_MS,
        [UNSENT]: unsent / 1_024 / Math.max(1, places.length),
      };
    };
    const table = await takeTurns(stage, [ALL_READ, STUCK], ROUNDS, async ({ stuckPerRoom }) => {
      const { process } = hub.server;
      const work = () => measureReply(stuckPerRoom);
      const [values, use] = await watched(process, work, readers.process);
      return { ...values, ...use.columns };
    });
    const states = await remote.states(READERS);
    const broken = states.filter(({ faults }) => faults > 0).length;
    return {
      table,
      goals: [
        atMost(UNSENT, valueAt(table, STUCK.name, UNSENT), 256),
        ratioGoal(table, "p99 ms", { of: STUCK.name, to: ALL_READ.name, atMost: 1.2 }),
      ],
      faults: broken ? [`${hub.name}: ${broken} readers miss or repeat messages`] : [],
    };
  },
};
