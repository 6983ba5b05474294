import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { median } from "./quantile.ts";
import type { Stage } from "./stage.ts";

/** Measured values by column. The name of a column contains its unit. */
export type Values = Record<string, number>;
/** Measured values by contender. */
export type Table = Map<string, Values>;

/** The longest time of one sample. */
const MEASURED_SECONDS = 120;
const SMOKE_SECONDS = 60;

/**
 * Warms all contenders up, then measures them in turn (A B C, A B C, …). A disturbance of the
 * machine then affects all of them. `pnpm bench smoke` takes one sample without warm-up.
 * @returns the medians
 */
export async function takeTurns<Contender extends { name: string }>(
  stage: Stage,
  contenders: Contender[],
  rounds: number,
  takeSample: (contender: Contender) => Promise<Values>,
): Promise<Table> {
  const samples = new Map(contenders.map(({ name }) => [name, [] as Values[]]));
  for (let round = stage.size(-1, 0); round < stage.size(rounds, 1); round++) {
    for (const contender of contenders) {
      const sample = await blame(contender.name, () =>
        within(stage.size(MEASURED_SECONDS, SMOKE_SECONDS), () => takeSample(contender)),
      );
      if (round >= 0) samples.get(contender.name)?.push(sample);
    }
  }
  return new Map([...samples].map(([name, taken]) => [name, mediansOf(taken)]));
}

const mediansOf = (taken: Values[]): Values =>
  Object.fromEntries(
    Object.keys(taken[0] ?? {}).map((column) => [
      column,
      median(taken.map((values) => values[column] ?? Number.NaN)),
    ]),
  );

export const valueAt = (table: Table, name: string, column: string): number =>
  table.get(name)?.[column] ?? Number.NaN;

/** Runs work of a contender. Its errors begin with the contender's name. */
export async function blame<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: ${message}`, { cause });
  }
}

/** @throws Error if the work takes longer */
export async function within<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const abort = () => reject(new Error(`aborted after ${seconds} s`));
    timer = setTimeout(abort, seconds * 1_000);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}

type Watched = Pick<ChildProcess, "pid">;

export interface ProcessUse {
  seconds: number;
  /** The CPU time of the server. */
  cpuMs: number;
  /**
   * Columns of the table: the server's peak memory, and the share of one core that the server and
   * its clients used. Clients near 100 % were the bottleneck.
   */
  columns: Values;
}

/**
 * Indexes of `utime` and `stime` among the fields after the program's name in /proc/<pid>/stat
 * (proc(5)).
 */
const CPU_TICKS = [11, 12];
const TICK_MS = 10;

/**
 * Runs work and measures what a server and its clients use meanwhile. The use is NaN on systems
 * without /proc.
 */
export async function watched<T>(
  server: Watched,
  work: () => Promise<T>,
  clients?: Watched,
): Promise<[T, ProcessUse]> {
  try {
    // Writing 5 resets the peak memory, VmHWM.
    writeFileSync(`/proc/${server.pid}/clear_refs`, "5");
  } catch {}
  const before = [server, clients].map(cpuMsOf);
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1_000;
  const [cpuMs = 0, clientMs = 0] = [server, clients].map(
    (process, n) => cpuMsOf(process) - (before[n] ?? 0),
  );
  const columns = {
    "server CPU %": cpuMs / seconds / 10,
    ...(clients && { "client CPU %": clientMs / seconds / 10 }),
    "peak MiB": memoryMiB(server.pid, "VmHWM"),
  };
  return [result, { seconds, cpuMs, columns }];
}

export function cpuMsOf(process: Watched | undefined): number {
  // The program's name is in parentheses and may contain spaces.
  const fields = readProcess(process?.pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  return CPU_TICKS.reduce((sum, at) => sum + Number(fields[at]) * TICK_MS, 0);
}

/** Returns the resident memory of a process, now or at its peak. */
export const memoryMiB = (pid: number | undefined, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readProcess(pid, "status"))?.[1]) / 1_024;

/** Returns a process and its children, all of which belong to one hub. */
export const familyOf = ({ pid }: Watched): Watched[] => [
  { pid },
  ...(readProcess(pid, `task/${pid}/children`).match(/\d+/g) ?? []).map((child) => ({
    pid: Number(child),
  })),
];

function readProcess(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
