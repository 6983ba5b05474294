import { setTimeout as sleep } from "node:timers/promises";
import { type Server, startHub } from "../processes/server.ts";
import type { Bench, Scenario } from "../runner/bench.ts";
import { cpuMsOf, familyOf, memoryMiB, type Table, type Values } from "../runner/measure.ts";
import { median } from "../runner/quantile.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { installPackage } from "./install-package.ts";

const IDLE_MS = { measured: 5_000, smoke: 2_000 };
const WARM_STARTS = { measured: 5, smoke: 1 };
const CPU = "start CPU s";
const IDLE = "idle MiB";
const PEAK = "peak MiB";
/** The start that creates database and compile cache, and one that finds both. */
const FIRST = "first start";
const WARM = "later start";

const goals: Record<DatabaseName, Record<string, Values>> = {
  embedded: { [FIRST]: { [CPU]: 5 }, [WARM]: { [CPU]: 2, [IDLE]: 300, [PEAK]: 350 } },
  PostgreSQL: { [WARM]: { [CPU]: 1.3, [IDLE]: 200 } },
};
/**
 * The limits of a later start in smoke, so that nothing grows unseen: 20 % above the memory that
 * was reached, and 60 % above the CPU time (0081).
 */
const limits: Record<DatabaseName, Values> = {
  embedded: { [CPU]: 2.6, [IDLE]: 323, [PEAK]: 323 },
  PostgreSQL: { [CPU]: 1.5, [IDLE]: 236 },
};
type DatabaseName = "embedded" | "PostgreSQL";

/** Starts a hub with starter souls, and measures its processes once they are idle. */
async function measureStart(stage: Stage, settings: Record<string, string>, main?: string) {
  const hub = await startHub(stage, { STARTER_SOULS: "on", ...settings }, { main });
  const cpuMs = sumOf(hub, cpuMsOf);
  await sleep(stage.size(IDLE_MS.measured, IDLE_MS.smoke));
  const values: Values = {
    [CPU]: cpuMs / 1_000,
    [IDLE]: sumOf(hub, ({ pid }) => memoryMiB(pid, "VmRSS")),
    [PEAK]: sumOf(hub, ({ pid }) => memoryMiB(pid, "VmHWM")),
  };
  await hub.stop();
  return values;
}

const sumOf = ({ process }: Server, measure: (process: { pid?: number | undefined }) => number) =>
  familyOf(process).reduce((sum, each) => sum + measure(each), 0);

/** Starts a hub several times on one database. Later starts are one row, of medians. */
async function measureStarts(stage: Stage, database: DatabaseName, main?: string): Promise<Table> {
  const settings = {
    DATA_DIR: await stage.newDataDirectory(),
    ...(database === "PostgreSQL" && { DATABASE_URL: await stage.newDatabase() }),
    // The hub's own cache, not the one that all servers of smoke share.
    NODE_COMPILE_CACHE: "",
  };
  const first = await measureStart(stage, settings, main);
  const later: Values[] = [];
  for (let n = 0; n < stage.size(WARM_STARTS.measured, WARM_STARTS.smoke); n++) {
    later.push(await measureStart(stage, settings, main));
  }
  const medians = Object.keys(first).map((column) => [
    column,
    median(later.map((values) => values[column] ?? Number.NaN)),
  ]);
  return new Map<string, Values>([
    [FIRST, first],
    [WARM, Object.fromEntries(medians)],
  ]);
}

const check = (table: Table, row: string, allowed: Values) =>
  Object.entries(allowed).map(([column, limit]) =>
    atMost(`${row}, ${column}`, table.get(row)?.[column] ?? Number.NaN, limit),
  );

const startsOf = (program: string, database: DatabaseName, install?: typeof installPackage) => ({
  name: `${program} ${database}`,
  atMostSeconds: 600,
  async run(stage: Stage) {
    const main = await install?.(stage);
    const table = await measureStarts(stage, database, main);
    const faults = check(table, WARM, limits[database]).filter(({ isReached }) => !isReached);
    return {
      table,
      goals: Object.entries(goals[database]).flatMap(([row, most]) => check(table, row, most)),
      faults: stage.isSmoke ? faults.map(({ goal, measured }) => `${goal}: ${measured}`) : [],
    };
  },
});

const scenarios: Scenario[] = [
  startsOf("repository", "embedded"),
  startsOf("repository", "PostgreSQL"),
  { ...startsOf("npm package", "embedded", installPackage), isLong: true },
  { ...startsOf("npm package", "PostgreSQL", installPackage), isLong: true },
];

/** How much memory and CPU time does an idle hub take? */
export const bench: Bench = { scenarios };
