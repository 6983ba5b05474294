import pg from "pg";
import { cleanRun } from "../clean-run.ts";
import { printTable } from "../rest/report.ts";
import { startManySouls } from "./many-souls.ts";
import { askedHub, type KindTimes, measureKind } from "./measure-kind.ts";
import { kindsOf } from "./questions.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
const AT_MOST_MS = 1_200_000;

// The goals.
const P95_MS = 50;
const TIMES_SMALL = 2;
const SEED_SECONDS = 180;

/**
 * `pnpm bench souls`. True: every goal is reached.
 * @param asked the kinds whose name holds one of these; none: all
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

    const hubs = [askedHub(small.hub), askedHub(large.hub)] as const;
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

/**
 * Every kind must be fast; the mix of all of them, each asked alike, must also not slow down. A page
 * that is empty among the few is not the same work, and is left out of that.
 */
function reportMix(mix: string, kinds: KindTimes[]): boolean {
  if (kinds.length === 0) return true;
  const compared = kinds.filter(({ isOfMany }) => !isOfMany);
  const small = compared.flatMap((kind) => kind.small);
  const large = compared.flatMap((kind) => kind.large);
  const lines = kinds.map((kind) => [
    kind.kind.name,
    kind.total.toLocaleString("en"),
    ...figures(kind.small, kind.large),
    remark(kind),
  ]);
  const ratio = quantile(large, 0.95) / quantile(small, 0.95);
  const late = kinds.filter((kind) => quantile(kind.large, 0.95) > P95_MS).length;
  const isReached = late === 0 && ratio <= TIMES_SMALL;
  console.log();
  printTable([heads, ...lines, [`all of ${mix}`, "", ...figures(small, large), ""]]);
  console.log(
    `\n${word(isReached)}  ${mix}: ${late} of ${kinds.length} kinds have a p95 above ${P95_MS} ms (must be 0); that of all is ${ratio.toFixed(2)} × the same with ${SMALL.toLocaleString("en")} souls, the goal is ${TIMES_SMALL}`,
  );
  return isReached;
}

function remark({ large, isOfMany, worstPath }: KindTimes): string {
  if (quantile(large, 0.95) > P95_MS) return `MISSED: ${decodeURIComponent(worstPath)}`;
  return isOfMany ? "10 k: an empty page; not compared" : "";
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

/** In milliseconds. */
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
