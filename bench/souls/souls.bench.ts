import pg from "pg";
import { cleanRun } from "../clean-run.ts";
import { printTable } from "../rest/report.ts";
import { startManySouls } from "./many-souls.ts";
import { benchTarget, type KindTimes, measureKind } from "./measure-kind.ts";
import { kindsOf } from "./request-kinds.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
const AT_MOST_MS = 1_200_000;

// Goals with a million souls, in milliseconds (0010).
/** The goal for the 95th percentile of all searches together. */
const SEARCH_P95_MS = 80;
/** The goal for the 95th percentile of each kind of search. */
const SEARCH_KIND_P95_MS = 200;
/** The goal for the 95th percentile of each kind of list without a search text. */
const ORDER_KIND_P95_MS = 50;
const SEED_SECONDS = 180;

/**
 * Runs `pnpm bench souls`. Resolves to true if every goal is reached.
 * @param asked parts of the names of the kinds of request to measure; empty selects all
 */
export const run = (asked: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase) => {
    const small = await startManySouls(SMALL, newDatabase);
    const large = await startManySouls(LARGE, newDatabase);
    const client = new pg.Client(small.url);
    await client.connect();
    const kinds = (await kindsOf(client)).filter(
      ({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)),
    );
    await client.end();

    const hubs = [benchTarget(small.hub), benchTarget(large.hub)] as const;
    const measured: KindTimes[] = [];
    for (const kind of kinds) measured.push(await measureKind(kind, ...hubs));
    const verdicts = (["order", "search"] as const).map((mix) =>
      reportMix(
        mix,
        measured.filter(({ kind }) => kind.mix === mix),
      ),
    );
    const isSeededInTime = large.seedSeconds <= SEED_SECONDS;
    console.log(
      `\n${word(isSeededInTime)}  ${LARGE.toLocaleString("en")} souls are seeded in ${large.seedSeconds} s, the goal is ${SEED_SECONDS}`,
    );
    return verdicts.every(Boolean) && isSeededInTime;
  });

const word = (isReached: boolean) => (isReached ? "reached" : "MISSED ");

/** Each kind of request has its own goal. All searches together have a lower one. */
function reportMix(mix: "order" | "search", kinds: KindTimes[]): boolean {
  if (kinds.length === 0) return true;
  const limit = mix === "search" ? SEARCH_KIND_P95_MS : ORDER_KIND_P95_MS;
  const small = kinds.flatMap((kind) => kind.small);
  const large = kinds.flatMap((kind) => kind.large);
  const lines = kinds.map((kind) => [
    kind.kind.name,
    kind.total?.toLocaleString("en") ?? "",
    ...figures(kind.small, kind.large),
    remark(kind, limit),
  ]);
  const late = kinds.filter((kind) => quantile(kind.large, 0.95) > limit).length;
  const p95 = quantile(large, 0.95);
  const isReached = late === 0 && (mix === "order" || p95 <= SEARCH_P95_MS);
  console.log();
  printTable([heads, ...lines, [`all of ${mix}`, "", ...figures(small, large), ""]]);
  const ofAll =
    mix === "search"
      ? `; the p95 of all is ${p95.toFixed(1)} ms, the goal is ${SEARCH_P95_MS}`
      : "";
  console.log(
    `\n${word(isReached)}  ${mix}: ${late} of ${kinds.length} kinds have a p95 above ${limit} ms (must be 0)${ofAll}`,
  );
  return isReached;
}

function remark({ large, isEmptyInSmall, worstPath }: KindTimes, limit: number): string {
  if (quantile(large, 0.95) > limit) return `MISSED: ${decodeURIComponent(worstPath)}`;
  return isEmptyInSmall ? "10 k: an empty page" : "";
}

const heads = [
  "GET /api/souls",
  "total",
  ...["10 k", "1 M"].flatMap((souls) =>
    ["p50", "p95", "p99", "worst"].map((name) => `${souls} ${name}`),
  ),
  "p95 ratio",
  "",
];

/**
 * Prints the response times of both hubs in milliseconds, and the ratio of their 95th percentiles.
 */
function figures(small: number[], large: number[]): string[] {
  const times = [small, large].flatMap((taken) =>
    [0.5, 0.95, 0.99, 1].map((share) => quantile(taken, share).toFixed(1)),
  );
  return [...times, (quantile(large, 0.95) / quantile(small, 0.95)).toFixed(1)];
}

function quantile(taken: number[], share: number): number {
  const sorted = taken.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
