import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const STOP_MS = 5_000;
/** In /proc/<pid>/stat, behind the program's name: ticks in user mode, then those in the kernel. */
const USER_TICKS = 11;
const TICK_MS = 10;

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;

/** A process on one core of its own, where the system can do that. */
export function startPinned(
  core: 0 | 1,
  script: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; ipc?: boolean; runtime?: string; flags?: string[] } = {},
): ChildProcess {
  const command = [options.runtime ?? process.execPath, ...(options.flags ?? []), script, ...args];
  const [program = "", ...rest] = canPin ? ["taskset", "-c", String(core), ...command] : command;
  const child = spawn(program, rest, {
    // What it prints, such as an access log, is written, and read by nobody.
    stdio: ["ignore", "ignore", "inherit", ...(options.ipc ? (["ipc"] as const) : [])],
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...options.env },
  });
  started.add(child);
  return child;
}

/** Every process started here, whether it ever came to answer or not. */
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

/** What a process uses from here on. `read` gives null where the system does not tell (not Linux). */
export function watchProcess({ pid }: ChildProcess): { read(): ProcessUse | null } {
  try {
    // Forgets the peak so far.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    return { read: () => null };
  }
  const cpuMs = () => {
    // The name of the program, in brackets, may hold spaces.
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
