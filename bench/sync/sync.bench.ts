import { open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Question } from "../load/http-connection.ts";
import { httpLoadOf } from "../load/http-load.ts";
import { newMember, ok } from "../processes/member.ts";
import { type Server, startHub } from "../processes/server.ts";
import type { Bench, Scenario } from "../runner/bench.ts";
import { takeTurns } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";

const ROUNDS = 5;
const CONTENT = "Patient and brief. ".repeat(80);
/** PostgreSQL writes the WAL in pages of this size. */
const PAGE = Buffer.alloc(8_192, 7);
/** Flushes are paused, as between writes of the hub: flushes without a pause are faster. */
const PAUSE_MS = 2;
/** The type of tmpfs in statfs(2), which has no disk. */
const TMPFS = 0x01021994;

const ON = "DATA_SYNC=on";
const OFF = "DATA_SYNC=off";
/** The minimum ratio of writes per second, on an SSD. A slower disk misses it. */
const GOAL = 0.3;

/** Starts two embedded hubs: one flushes before each response, the other does not. */
const hubsOf = (stage: Stage) =>
  stage.share("hubs", async () => {
    const parent = process.env.BENCH_DIR || tmpdir();
    const directory = await stage.newDirectory(parent);
    if (!stage.isSmoke && (await statfs(directory)).type === TMPFS) {
      throw new Error(`${directory} is in memory. Name a directory on a disk: BENCH_DIR=…`);
    }
    const start = async (name: string) => {
      const DATA_DIR = await stage.newDataDirectory(parent);
      const DATA_SYNC = name === ON ? "on" : "off";
      const hub = await startHub(stage, { DATA_DIR, DATA_SYNC }, { name });
      return { ...hub, questions: await publishSouls(hub, stage.size(64, 8)) };
    };
    return { directory, hubs: await Promise.all([start(OFF), start(ON)]) };
  });

/** Publishes souls of one account. Returns requests that change them. */
async function publishSouls({ url }: Server, count: number): Promise<Question[]> {
  const ada = await newMember(url, "ada");
  const questions: Question[] = [];
  for (let nth = 0; nth < count; nth++) {
    const { id } = await ok(ada.post("/api/souls", { title: `Soul ${nth}`, content: CONTENT }));
    const body = JSON.stringify({ content: `${CONTENT}${nth}` });
    const write = { method: "PUT" as const, apiKey: ada.apiKey, body };
    questions.push({ path: `/api/soul/${id}`, write });
  }
  return questions;
}

const writersOf = (connections: number, name: string): Scenario => ({
  name,
  atMostSeconds: 180,
  async run(stage) {
    const { directory, hubs } = await hubsOf(stage);
    const load = await httpLoadOf(stage);
    const table = await takeTurns(stage, hubs, ROUNDS, (hub) =>
      load(hub, { connections, questions: hub.questions }),
    );
    const flushMs = await measureFlush(directory, stage.size(300, 10));
    return {
      table,
      goals: [ratioGoal(table, "requests/s", { of: ON, to: OFF, atLeast: GOAL })],
      notes: [`A flush alone takes ${flushMs.toFixed(2)} ms.`],
    };
  },
});

/** Returns the mean time of a write and fsync of one page of WAL, in milliseconds. */
async function measureFlush(directory: string, flushes: number): Promise<number> {
  await using file = await open(`${directory}/page`, "w");
  let totalMs = 0;
  for (let nth = 0; nth < flushes; nth++) {
    await sleep(PAUSE_MS);
    const start = performance.now();
    await file.write(PAGE, 0, PAGE.length, (nth % 8) * PAGE.length);
    await file.sync();
    totalMs += performance.now() - start;
  }
  return totalMs / flushes;
}

/** What does the flush before each response cost the embedded hub (0029)? */
export const bench: Bench = { scenarios: [writersOf(1, "1 writer"), writersOf(16, "16 writers")] };
