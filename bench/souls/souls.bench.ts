import { Agent } from "node:http";
import { sendRequest } from "../load/send-request.ts";
import { actorOf, ok } from "../processes/member.ts";
import { type Server, startHub } from "../processes/server.ts";
import type { Bench, Goal, Scenario } from "../runner/bench.ts";
import { keepDatabase, runStatement } from "../runner/bench-database.ts";
import { inLanes } from "../runner/lanes.ts";
import { blame, type Table, type Values } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import { atLeast, atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { meaning } from "./meaning.ts";
import { randomFrom } from "./random.ts";
import { type Kind, kindsOf } from "./request-kinds.ts";
import { seedSouls } from "./seed-souls.ts";
import { slipIn } from "./slip-in.ts";

// Goals with a million souls, in milliseconds (0010).
/** The goal for the 95th percentile of all searches together. */
const SEARCH_P95_MS = 80;
/** The goals for the 95th percentile of each kind of request. */
const KIND_P95_MS = { orders: 50, searches: 200 };
const SEED_SECONDS = 180;
/** The number of concurrent requests: few, so that a request seldom waits for others. */
const CONNECTIONS = 2;
/** The number of requests of each kind, spread evenly over its paths. */
const REQUESTS = 120;

interface ManySouls {
  hub: Server;
  url: string;
  seedSeconds: number;
}

/**
 * Starts a hub on a seeded database. With `BENCH_KEEP=1` the database of an earlier run is used
 * again.
 */
async function startManySouls(stage: Stage, name: string, souls: number): Promise<ManySouls> {
  const kept =
    process.env.BENCH_KEEP && !stage.isSmoke
      ? await keepDatabase(`soul_hub_bench_${souls}_souls`)
      : undefined;
  const url = kept?.url ?? (await stage.newDatabase());
  const hub = await startHub(stage, { DATABASE_URL: url }, { name });
  if (kept && kept.filledIn !== null) return { hub, url, seedSeconds: kept.filledIn };
  const begin = performance.now();
  const { data } = await blame(name, () => ok(actorOf(hub.url, "guest").get("/api/categories")));
  const roles = data.map(({ slug }: { slug: string }) => slug);
  await seedSouls(url, souls, roles);
  const seedSeconds = Math.round((performance.now() - begin) / 1_000);
  await kept?.noteFilled(seedSeconds);
  return { hub, url, seedSeconds };
}

const startSmall = (stage: Stage) =>
  stage.share("10 k", () => startManySouls(stage, "Soul Hub, 10 k", stage.size(10_000, 1_000)));

const startBoth = (stage: Stage) =>
  stage.share("souls", async () => {
    const [small, large] = await Promise.all([
      startSmall(stage),
      startManySouls(stage, "Soul Hub, 1 M", stage.size(1_000_000, 1_000)),
    ]);
    return { small, large, kinds: await kindsOf(small.url) };
  });

/** Each kind of request has its own goal. All searches together have a lower one. */
const mixOf = (mix: "orders" | "searches"): Scenario => ({
  name: mix,
  atMostSeconds: 1_200,
  async run(stage) {
    const { small, large, kinds } = await startBoth(stage);
    const wanted = stage.option("kind", "");
    const all: Times = { small: [], large: [] };
    const table: Table = new Map();
    const late: string[] = [];
    for (const kind of kinds[mix].filter(({ name }) => name.includes(wanted))) {
      const times = await measureKind(stage, kind, small.hub, large.hub);
      all.small.push(...times.small);
      all.large.push(...times.large);
      table.set(kind.name, quantilesOf(times));
      if (quantile(times.large, 0.95) > KIND_P95_MS[mix]) late.push(kind.name);
    }
    table.set(`all ${mix}`, quantilesOf(all));
    const goals: Goal[] = [
      atMost(`kinds with a p95 above ${KIND_P95_MS[mix]} ms`, late.length, 0),
      atMost("seeding", large.seedSeconds, SEED_SECONDS, " s"),
    ];
    if (mix === "searches") {
      goals.push(atMost("p95 of all searches", quantile(all.large, 0.95), SEARCH_P95_MS, " ms"));
    }
    return { table, goals, notes: late.map((name) => `late: ${name}`) };
  },
});

/** Response times in milliseconds, of the hubs with the small and the large database. */
type Times = Record<"small" | "large", number[]>;

/**
 * Alternates between the hubs with the small and the large database. A disturbance of the machine
 * then affects both. In `pnpm bench smoke` both have the same souls and must list the same.
 */
async function measureKind(
  stage: Stage,
  { paths }: Kind,
  small: Server,
  large: Server,
): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CONNECTIONS });
  const ask = ({ name, port }: Server, path: string) =>
    blame(name, async () => {
      const { status, text, ms } = await sendRequest({ agent, port, path });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return { ms, text };
    });
  for (const path of paths) {
    const [expected, listed] = await Promise.all([ask(small, path), ask(large, path)]);
    if (stage.isSmoke && idsOf(listed.text) !== idsOf(expected.text)) {
      throw new Error(`${large.name}: ${path} differs from ${small.name}`);
    }
  }
  const times: Times = { small: [], large: [] };
  const requests = Array.from({ length: stage.size(REQUESTS, 0) }, (_, n) => n);
  await inLanes(CONNECTIONS, requests, async (n) => {
    const path = paths[n % paths.length] ?? "";
    times.small.push((await ask(small, path)).ms);
    times.large.push((await ask(large, path)).ms);
  });
  agent.destroy();
  return times;
}

/** The souls found by text: the two hubs may have taken over different words and vectors so far. */
const idsOf = (text: string) =>
  String(
    JSON.parse(text)
      .data.filter(({ match }: { match?: string }) => match !== "slip" && match !== "meaning")
      .map(({ id }: { id: number }) => id),
  );

/** The quantiles of both hubs in milliseconds, and the ratio of their 95th percentiles. */
const quantilesOf = ({ small, large }: Times): Values => ({
  "10 k p50": quantile(small, 0.5),
  "10 k p95": quantile(small, 0.95),
  "1 M p50": quantile(large, 0.5),
  "1 M p95": quantile(large, 0.95),
  "1 M worst": quantile(large, 1),
  "p95 ratio": quantile(large, 0.95) / quantile(small, 0.95),
});

/** Does a title with one slip still find its soul? */
const slips: Scenario = {
  name: "slips",
  atMostSeconds: 1_200,
  async run(stage) {
    const small = await startSmall(stage);
    const titles = await runStatement<{ title: string }>(
      `select title from souls where title ~ '[a-z]{4}' order by md5(id::text)
        limit ${stage.size(400, 20)}`,
      small.url,
    );
    const random = randomFrom(7);
    const guest = actorOf(small.hub.url, "guest");
    const lost: string[] = [];
    for (const { title } of titles) {
      const slip = slipIn(random, title);
      const { data } = await ok(guest.get(`/api/souls?limit=3&q=${encodeURIComponent(slip)}`));
      if (!data.some((found: { title: string }) => found.title === title)) {
        lost.push(`${slip}, not ${title}`);
      }
    }
    const share = 1 - lost.length / titles.length;
    return {
      table: new Map([["titles with a slip", { "first 3": share }]]),
      goals: [atLeast("in the first three", share, 0.95)],
      notes: lost.slice(0, 10),
    };
  },
};

/** Do list and search stay fast at a million souls? */
export const bench: Bench = { scenarios: [mixOf("orders"), mixOf("searches"), slips, ...meaning] };
