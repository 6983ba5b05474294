import { once } from "node:events";
import { Agent, get } from "node:http";
import pg from "pg";
import { cleanRun } from "../clean-run.ts";
import { type Contender, startHub } from "../rest/contenders.ts";
import { printTable } from "../rest/report.ts";
import { type Kind, kindsOf } from "./questions.ts";
import { seedManySouls } from "./seed-many-souls.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
/** Few, so that an answer's time is its own and not that of those before it. */
const CONNECTIONS = 2;
const ANSWERS = 100;
const AT_MOST_MS = 1_200_000;

// The goals.
const P95_MS = 50;
const TIMES_SMALL = 2;
const SEED_SECONDS = 180;

interface Hub {
  contender: Contender;
  url: string;
  agent: Agent;
}

/** `pnpm bench souls`. True: every goal is reached. */
export const run = (): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase) => {
    const start = async (souls: number): Promise<Hub & { seconds: number }> => {
      const url = await newDatabase();
      const contender = await startHub(url);
      const roles = await rolesOf(contender);
      const begin = performance.now();
      await seedManySouls(url, souls, roles);
      const seconds = (performance.now() - begin) / 1000;
      console.log(`${souls.toLocaleString("en")} souls in ${seconds.toFixed(0)} s`);
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      return { contender, url, agent, seconds };
    };
    const small = await start(SMALL);
    const large = await start(LARGE);
    const client = new pg.Client(small.url);
    await client.connect();
    const kinds = await kindsOf(client);
    await client.end();

    const lines: string[][] = [];
    for (const kind of kinds) lines.push(await measure(kind, small, large));
    printTable([heads, ...lines]);
    const missed = lines.filter((line) => line.at(-1) !== "reached").length;
    const isSeededInTime = large.seconds <= SEED_SECONDS;
    console.log(
      `\n${lines.length - missed} of ${lines.length} rows reach both goals: p95 ≤ ${P95_MS} ms, and ≤ ${TIMES_SMALL} × the same on ${SMALL.toLocaleString("en")} souls.`,
      `\nseeding in ${large.seconds.toFixed(0)} s, the goal is ${SEED_SECONDS}: ${isSeededInTime ? "reached" : "MISSED"}`,
    );
    return missed === 0 && isSeededInTime;
  });

async function rolesOf({ port }: Contender): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/categories`);
  const { data } = (await answer.json()) as { data: Array<{ slug: string }> };
  return data.map(({ slug }) => slug);
}

const heads = [
  "GET /api/souls",
  "total",
  "10 k p50 ms",
  "10 k p95 ms",
  "1 M p50 ms",
  "1 M p95 ms",
  "p95 ratio",
  "verdict",
];

/** Small, large, small, large, …: what disturbs the machine for a while disturbs both. */
async function measure({ name, paths }: Kind, small: Hub, large: Hub): Promise<string[]> {
  const times = new Map<Hub, number[]>([
    [small, []],
    [large, []],
  ]);
  let largest = 0;
  for (const path of paths) {
    await timed(small, path);
    largest = Math.max(largest, (await timed(large, path)).total);
  }
  let asked = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let at = asked++; at < ANSWERS; at = asked++) {
        const path = paths[at % paths.length] ?? "";
        for (const [hub, taken] of times) taken.push((await timed(hub, path)).ms);
      }
    }),
  );
  const quantile = (hub: Hub, share: number) => {
    const sorted = (times.get(hub) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  };
  const ratio = quantile(large, 0.95) / quantile(small, 0.95);
  const late = quantile(large, 0.95) > P95_MS ? [`> ${P95_MS} ms`] : [];
  const slower = ratio > TIMES_SMALL ? [`> ${TIMES_SMALL} ×`] : [];
  const verdict = [...late, ...slower];
  return [
    name,
    largest.toLocaleString("en"),
    ...[small, large].flatMap((hub) => [0.5, 0.95].map((share) => quantile(hub, share).toFixed(1))),
    ratio.toFixed(1),
    verdict.length > 0 ? `MISSED: ${verdict.join(", ")}` : "reached",
  ];
}

async function timed({ contender, agent }: Hub, path: string) {
  const begin = performance.now();
  const [answer] = await once(get({ port: contender.port, path, agent }), "response");
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  const ms = performance.now() - begin;
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return { ms, total: (JSON.parse(text) as { total: number }).total };
}
