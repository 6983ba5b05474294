import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Stage } from "../runner/stage.ts";

/** Servers share one core, and the load generator uses the other. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;

export interface ProcessOptions {
  /** The core to run on, by default that of the load. */
  core?: typeof SERVER_CORE | typeof LOAD_CORE;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** The program that runs the script, by default this Node. */
  runtime?: string;
  /** Command-line options of V8. */
  flags?: string[];
}

export interface StartedProcess {
  process: ChildProcess;
  /** Rejects when the process ends, or if its program is missing. */
  ended: Promise<never>;
}

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;

/**
 * Starts a script in a process of its own, and kills it when the stage closes. A measurement pins the
 * process to one core, if the system has `taskset`.
 */
export function startProcess(
  stage: Stage,
  script: URL | string,
  { core = LOAD_CORE, args = [], env, runtime = process.execPath, flags = [] }: ProcessOptions = {},
): StartedProcess {
  const file = typeof script === "string" ? script : fileURLToPath(script);
  const command = [runtime, ...flags, file, ...args];
  const pins = canPin && !stage.isSmoke;
  const [program = "", ...rest] = pins ? ["taskset", "-c", String(core), ...command] : command;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, rest, {
    // The standard output of the process, such as an access log, is discarded.
    stdio: ["pipe", "ignore", "inherit", "ipc"],
    env: { PATH, NODE_ENV: "production", NODE_COMPILE_CACHE, ...env },
  });
  const exited = once(child, "exit");
  const ended = exited.then(([code, signal]) => {
    throw new Error(`${file} ended with ${signal ?? code}.`);
  });
  // Processes also end when the stage closes, while nothing awaits them.
  ended.catch(() => undefined);
  stage.onEnd(async () => {
    child.kill("SIGKILL");
    await exited.catch(() => undefined);
  });
  return { process: child, ended };
}
