import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { type Actor, tableSizes } from "@soul-hub/api/testing";
import { RepeatedCalls } from "../load/repeated-calls.ts";
import { actorOf, newMembers, ok } from "../processes/member.ts";
import { ADMIN_TOKEN, startHub } from "../processes/server.ts";
import type { Bench } from "../runner/bench.ts";
import { blame, type Table, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import { randomFrom } from "../souls/random.ts";
import { english, textOf } from "../souls/soul-words.ts";

const WRITERS = 16;
/** Words of a soul: about 6 KB, as a person writes one. */
const SOUL_WORDS = 1_000;
/** Edits of each soul before the measurement. */
const EDITS = 2;
/** One of so many writes is an edit, which stores a version for good. The others are likes. */
const EDIT_EVERY = { measured: 200, smoke: 20 };
/** Two readers with this pause need a small part of the hub's core. */
const READ_PAUSE_MS = 50;
const NAME = "embedded hub";
const READS = "reads";
const MEGABYTE = 1024 * 1024;

interface Writer {
  member: Actor;
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
            DATA_SYNC: stage.option("sync", "off"),
            // Without the access log, a million writes take less time.
            LOG_LEVEL: "warn",
          };
          const seeding = await startHub(stage, settings);
          const writers = await seed(seeding.url, stage.size(WRITERS, 2), stage.size(1_000, 6));
          await seeding.stop();
          const before = await measureDirectory(directory);

          const hub = await startHub(stage, settings);
          const count = Number(stage.option("writes", "1000000", "80"));
          const reads = new RepeatedCalls(stage);
          const guest = actorOf(hub.url, "guest");
          for (const address of [`/api/soul/${writers[0]?.souls[0]}`, "/api/souls?limit=20"]) {
            reads.repeat(READ_PAUSE_MS, () => guest.get(address), READS);
          }
          const [failed, { seconds, cpuMs }] = await watched(hub.process, () =>
            write(hub.url, writers, count, stage.size(EDIT_EVERY.measured, EDIT_EVERY.smoke)),
          );
          await reads.end();
          const { text } = await actorOf(hub.url, "operator", ADMIN_TOKEN).get("/metrics");
          await hub.stop();
          const after = await measureDirectory(directory);

          const table: Table = reads.table();
          table.set("writes", { calls: count, seconds, "CPU µs/write": (cpuMs * 1_000) / count });
          const rest = after.all - (after.versions - before.versions);
          for (const [name, from, to] of [
            ["versions of souls", before.versions, after.versions],
            ["all", before.all, after.all],
            ["all, without the versions added", before.all, rest],
          ] as const) {
            const sizes = { "MB before": from / MEGABYTE, "MB after": to / MEGABYTE };
            table.set(name, { ...sizes, ratio: to / from });
          }
          return {
            table,
            goals: [
              atMost("data directory without added versions", rest / before.all, 2, " × before"),
              atMost("p99 of a read", valueAt(table, READS, "p99 ms"), 250, " ms"),
            ],
            faults: [...reads.faults, ...failed].map((fault) => `${NAME}: ${fault}`),
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
      return { member, souls: own };
    }),
  );
}

/**
 * Each writer likes and edits, one call after the other, until all together have made `count` writes.
 * @returns the failed writes
 */
async function write(
  url: string,
  writers: Writer[],
  count: number,
  editEvery: number,
): Promise<string[]> {
  const all = writers.flatMap(({ souls }) => souls);
  const failed: string[] = [];
  let left = count;
  await Promise.all(
    writers.map(async ({ member: { name, apiKey }, souls }) => {
      const member = actorOf(url, name, apiKey);
      for (let n = 1; left-- > 0; n++) {
        const edited = souls[(n / editEvery) % souls.length];
        const call =
          n % editEvery === 0
            ? member.put(`/api/soul/${edited}`, { description: `Edit ${n}` })
            : member.post("/api/like", { soul_id: all[Math.floor(Math.random() * all.length)] });
        await ok(call).catch((error: Error) => failed.push(`a write failed: ${error.message}`));
      }
    }),
  );
  return failed;
}

/**
 * Measures the data directory of a hub that has stopped, in bytes. Edits add the versions of souls
 * for good.
 */
async function measureDirectory(directory: string): Promise<{ all: number; versions: number }> {
  // The files first: opening the database writes to its log.
  let all = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) all += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  const tables = await tableSizes(path.join(directory, "database"));
  return { all, versions: tables.get("soul_versions") ?? 0 };
}
