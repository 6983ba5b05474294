import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const STOP_MS = 5_000;
/**
 * Index of `utime` among the fields after the program's name in /proc/<pid>/stat. `stime` is the
 * next field (proc(5)).
 */
const USER_TICKS = 11;
const TICK_MS = 10;

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;

/** Starts a process on one core with `taskset`, or on any core where `taskset` is missing. */
export function startPinned(
  core: 0 | 1,
  script: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; ipc?: boolean; runtime?: string; flags?: string[] } = {},
): ChildProcess {
  const command = [options.runtime ?? process.execPath, ...(options.flags ?? []), script, ...args];
  const [program = "", ...rest] = canPin ? ["taskset", "-c", String(core), ...command] : command;
  const child = spawn(program, rest, {
    // The standard output of the process, such as an access log, is discarded.
    stdio: ["ignore", "ignore", "inherit", ...(options.ipc ? (["ipc"] as const) : [])],
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...options.env },
  });
  started.add(child);
  return child;
}

/** All processes that this module started, including those that failed to start up. */
const started = new Set<ChildProcess>();

export const stopStarted = (): Promise<unknown> => Promise.all([...started].map(stopProcess));

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(kill);
}

export interface ProcessUse {
  peakMiB: number;
  cpuMs: number;
}

/**
 * Measures the CPU time and peak memory of a process from now on. `read` returns null where /proc
 * is missing.
 */
export function watchProcess({ pid }: ChildProcess): { read(): ProcessUse | null } {
  try {
    // Resets VmHWM, the peak of the resident memory (proc(5)).
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    return { read: () => null };
  }
  const cpuMs = () => {
    // In /proc/<pid>/stat the program's name is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1])) * TICK_MS;
  };
  const before = cpuMs();
  return {
    read: () => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const peakKiB = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]);
      return { peakMiB: peakKiB / 1024, cpuMs: cpuMs() - before };
    },
  };
}
