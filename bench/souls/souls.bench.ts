import { actorOf, ok } from "../processes/member.ts";
import { type Server, startHub } from "../processes/server.ts";
import type { Bench, Goal, Scenario } from "../runner/bench.ts";
import { keepDatabase } from "../runner/bench-database.ts";
import { blame, type Table } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { type KindTimes, measureKind, quantilesOf } from "./measure-kind.ts";
import { kindsOf } from "./request-kinds.ts";
import { seedManySouls } from "./seed-many-souls.ts";

// Goals with a million souls, in milliseconds (0010).
/** The goal for the 95th percentile of all searches together. */
const SEARCH_P95_MS = 80;
/** The goals for the 95th percentile of each kind of request. */
const KIND_P95_MS = { orders: 50, searches: 200 };
const SEED_SECONDS = 180;

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
  await seedManySouls(
    url,
    souls,
    data.map(({ slug }: { slug: string }) => slug),
  );
  const seedSeconds = Math.round((performance.now() - begin) / 1_000);
  await kept?.noteFilled(seedSeconds);
  return { hub, url, seedSeconds };
}

const startBoth = (stage: Stage) =>
  stage.share("souls", async () => {
    const small = await startManySouls(stage, "Soul Hub, 10 k", stage.size(10_000, 1_000));
    const large = await startManySouls(stage, "Soul Hub, 1 M", stage.size(1_000_000, 1_000));
    return { small, large, kinds: await kindsOf(small.url) };
  });

/** Each kind of request has its own goal. All searches together have a lower one. */
const mixOf = (mix: "orders" | "searches"): Scenario => ({
  name: mix,
  atMostSeconds: 1_200,
  async run(stage) {
    const { small, large, kinds } = await startBoth(stage);
    const wanted = stage.option("kind", "");
    const measured: KindTimes[] = [];
    for (const kind of kinds[mix].filter(({ name }) => name.includes(wanted))) {
      measured.push(await measureKind(stage, kind, small.hub, large.hub));
    }
    const all = {
      small: measured.flatMap((kind) => kind.small),
      large: measured.flatMap((kind) => kind.large),
    };
    const table: Table = new Map(
      measured.map((times) => [times.kind.name, { total: times.total, ...quantilesOf(times) }]),
    );
    table.set(`all ${mix}`, quantilesOf(all));
    const late = measured.filter(({ large }) => quantile(large, 0.95) > KIND_P95_MS[mix]);
    const goals: Goal[] = [
      atMost(`kinds with a p95 above ${KIND_P95_MS[mix]} ms`, late.length, 0),
      atMost("seeding", large.seedSeconds, SEED_SECONDS, " s"),
    ];
    if (mix === "searches") {
      goals.push(atMost("p95 of all searches", quantile(all.large, 0.95), SEARCH_P95_MS, " ms"));
    }
    const notes = late.map(
      ({ kind, worstPath }) => `late: ${kind.name}: ${decodeURIComponent(worstPath)}`,
    );
    return { table, goals, notes };
  },
});

/** Do list and search stay fast at a million souls? */
export const bench: Bench = { scenarios: [mixOf("orders"), mixOf("searches")] };
