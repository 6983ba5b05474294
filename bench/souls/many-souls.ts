import { keepBenchDatabase } from "../rest/bench-database.ts";
import { type Contender, startHub } from "../rest/contenders.ts";
import { seedManySouls } from "./seed-many-souls.ts";

interface ManySouls {
  hub: Contender;
  url: string;
  seedSeconds: number;
}

/**
 * Starts a hub on a seeded database. With `BENCH_KEEP=1` the database of an earlier run is used
 * again.
 */
export async function startManySouls(
  souls: number,
  newDatabase: () => Promise<string>,
): Promise<ManySouls> {
  const kept = process.env.BENCH_KEEP
    ? await keepBenchDatabase(`soul_hub_bench_${souls}_souls`)
    : undefined;
  const url = kept?.url ?? (await newDatabase());
  const hub = await startHub(url);
  if (kept && kept.filledIn !== null) return { hub, url, seedSeconds: kept.filledIn };
  const begin = performance.now();
  await seedManySouls(url, souls, await rolesOf(hub));
  const seedSeconds = Math.round((performance.now() - begin) / 1000);
  console.log(`${souls.toLocaleString("en")} souls in ${seedSeconds} s`);
  await kept?.noteFilled(seedSeconds);
  return { hub, url, seedSeconds };
}

async function rolesOf({ port }: Contender): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/categories`);
  const { data } = (await answer.json()) as { data: Array<{ slug: string }> };
  return data.map(({ slug }) => slug);
}
