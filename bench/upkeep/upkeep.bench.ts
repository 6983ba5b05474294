import { setTimeout as sleep } from "node:timers/promises";
import { openConnection, prepare } from "../load/http-connection.ts";
import type { Question } from "../load/load-protocol.ts";
import { actorOf, newMembers, ok } from "../processes/member.ts";
import { ADMIN_TOKEN, startHub } from "../processes/server.ts";
import type { Bench } from "../runner/bench.ts";
import { blame, watched } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import { atMost } from "../runner/report.ts";
import { randomFrom } from "../souls/random.ts";
import { english, textOf } from "../souls/soul-words.ts";
import { growthOf, measureDirectory } from "./directory-sizes.ts";

const WRITERS = 16;
/** Words of a soul: about 6 KB, as a person writes one. */
const SOUL_WORDS = 1_000;
/** Edits of each soul before the measurement. */
const EDITS = 2;
/** One of so many writes is an edit, which stores a version for good. The others are likes. */
const EDIT_EVERY = 200;
/** Two readers with this pause need a small part of the hub's core. */
const READ_PAUSE_MS = 50;
const NAME = "embedded hub";

interface Writer {
  apiKey: string;
  souls: number[];
}

/**
 * Does the embedded database stay small and fast under a million writes? 16 writers like and edit
 * 1,000 souls, while two readers read. DATA_SYNC is off by default: flushes take most of the time,
 * and change neither the dead rows nor the sizes.
 */
export const bench: Bench = {
  scenarios: [
    {
      name: "likes and edits",
      atMostSeconds: 7_200,
      run: (stage) =>
        blame(NAME, async () => {
          const directory = await stage.newDataDirectory();
          const settings = {
            DATA_DIR: directory,
            STARTER_SOULS: "off",
            DATA_SYNC: stage.option("sync", "off"),
            // Without the access log, a million writes take less time.
            LOG_LEVEL: "warn",
          };
          const seeding = await startHub(stage, settings);
          const writers = await seed(seeding.url, stage.size(WRITERS, 2), stage.size(1_000, 6));
          await seeding.stop();
          const before = await measureDirectory(directory);

          const hub = await startHub(stage, settings);
          const count = Number(stage.option("writes", "1000000", "400"));
          const [{ latencies, failed }, { seconds, cpuMs }] = await watched(hub.process, () =>
            runLoad(hub.port, writers, count),
          );
          const { text } = await actorOf(hub.url, "operator", ADMIN_TOKEN).get("/metrics");
          await hub.stop();
          const { ratio, rows } = growthOf(before, await measureDirectory(directory));
          const p99 = quantile(latencies, 0.99);
          return {
            table: new Map([
              [
                NAME,
                {
                  writes: count,
                  "CPU µs/write": (cpuMs * 1_000) / count,
                  seconds,
                  reads: latencies.length,
                  "read p99 ms": p99,
                  "read max ms": quantile(latencies, 1),
                },
              ],
              ...rows,
            ]),
            goals: [
              atMost("data directory without added versions", ratio, 2, " × before"),
              atMost("p99 of a read", p99, 250, " ms"),
            ],
            faults: failed ? [`${failed} of ${count} writes failed`] : [],
            notes: text.match(/^soulhub_upkeep_seconds_(?:count|sum).*$/gm) ?? [],
          };
        }),
    },
  ],
};

/** Registers writers. They publish souls and edit each of them. */
async function seed(url: string, writers: number, souls: number): Promise<Writer[]> {
  const members = await newMembers(url, "writer", writers);
  return Promise.all(
    members.map(async (member, nth) => {
      const random = randomFrom(nth);
      const own: number[] = [];
      for (let n = nth; n < souls; n += writers) {
        const content = () => textOf(english, random, SOUL_WORDS);
        const soul = { title: `Keeper ${n}`, content: content() };
        const { id } = await ok(member.post("/api/souls", soul));
        own.push(id);
        for (let edit = 0; edit < EDITS; edit++) {
          await ok(member.put(`/api/soul/${id}`, { content: content() }));
        }
      }
      return { apiKey: member.apiKey, souls: own };
    }),
  );
}

/** Makes `count` writes, and reads meanwhile. */
async function runLoad(port: number, writers: Writer[], count: number) {
  const all = writers.flatMap(({ souls }) => souls);
  const latencies: number[] = [];
  let left = count;
  let failed = 0;
  let isOver = false;
  const callerOf = async () => {
    const connection = await openConnection(port);
    return {
      ask: (question: Question) => connection.ask(prepare(question)),
      [Symbol.dispose]: () => connection.close(),
    };
  };
  const read = async (path: string) => {
    using caller = await callerOf();
    while (!isOver) {
      const started = performance.now();
      const isRight = await caller.ask({ path, answerBytes: null });
      if (!isRight) throw new Error(`${path} failed`);
      latencies.push(performance.now() - started);
      await sleep(READ_PAUSE_MS);
    }
  };
  // Writes one call after the other, until all writers together have made all writes.
  const write = async ({ apiKey, souls }: Writer) => {
    using caller = await callerOf();
    for (let n = 1; left-- > 0; n++) {
      const isEdit = n % EDIT_EVERY === 0;
      const edited = souls[(n / EDIT_EVERY) % souls.length];
      const liked = all[Math.floor(Math.random() * all.length)];
      const body = JSON.stringify(isEdit ? { description: `Edit ${n}` } : { soul_id: liked });
      const isRight = await caller.ask({
        path: isEdit ? `/api/soul/${edited}` : "/api/like",
        answerBytes: null,
        write: { method: isEdit ? "PUT" : "POST", apiKey, body },
      });
      if (!isRight) failed++;
    }
  };
  const reading = Promise.all([`/api/soul/${all[0]}`, "/api/souls?limit=20"].map(read));
  await Promise.all([reading, Promise.all(writers.map(write)).then(() => (isOver = true))]);
  return { latencies, failed };
}
