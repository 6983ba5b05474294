import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fillDataDirectory, type ServerProcess, startServerProcess } from "@soul-hub/api/testing";
import { expect } from "vitest";
import { runCli } from "./run-cli.ts";

const serverMain = path.resolve(import.meta.dirname, "../../server/src/main.ts");
const main = path.join(import.meta.dirname, "main.ts");

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs the command line tool in the test's process. The environment contains only the given
 * variables.
 */
export async function runTool(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  const output = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const code = await runCli(args, output, { env });
  return withoutToken(env, { code, stdout, stderr });
}

/**
 * Runs the command line tool in a process of its own. The environment contains only the given
 * variables.
 */
export const spawnTool = (env: Record<string, string>, ...args: string[]) =>
  new Promise<Ended>((resolve) => {
    // A backup is binary.
    const options = { env, encoding: "latin1" as const };
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve(withoutToken(env, { code: error ? Number(error.code) : 0, stdout, stderr }));
    });
  });

/** Starts the tool in a process of its own. `kill` kills it after a time, unless it has ended. */
export function startTool(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: "ignore" });
  const exited = once(child, "exit");
  return {
    async kill(afterMs: number) {
      await Promise.race([exited, sleep(afterMs)]);
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Asserts that the output does not contain the operator's token, and returns the output. */
function withoutToken({ ADMIN_TOKEN: token }: Record<string, string>, ended: Ended): Ended {
  if (token) expect(ended.stdout + ended.stderr).not.toContain(token);
  return ended;
}

export interface HubProcess extends AsyncDisposable {
  readonly server: ServerProcess;
  /** The DATA_DIR of the server. */
  readonly directory: string;
  /** Runs `pnpm hub …` in this process. The environment contains only DATA_DIR. */
  hub(...args: string[]): Promise<Ended>;
  /** Starts the server again on the same data, with other MASTER_KEYS. */
  restart(masterKeys: (before: string) => string): Promise<void>;
}

/**
 * Starts a server with an embedded database. The server generates its keys and the operator's token
 * (decisions §8).
 * @param given a DATA_DIR with data, by default a new one
 */
export async function startHubProcess(given?: string): Promise<HubProcess> {
  const directory = given ?? (await mkdtemp(path.join(tmpdir(), "soul-hub-cli-")));
  if (!given) await fillDataDirectory(directory);
  const secrets = path.join(directory, "secrets.json");
  const start = () => startServerProcess(serverMain, { DATA_DIR: directory });
  let server = await start();
  return {
    get server() {
      return server;
    },
    directory,
    hub: (...args) => runTool({ DATA_DIR: directory }, ...args),
    async restart(masterKeys) {
      await server.stop();
      const stored = JSON.parse(await readFile(secrets, "utf8"));
      stored.master_keys = masterKeys(stored.master_keys);
      await writeFile(secrets, JSON.stringify(stored));
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      if (!given) await rm(directory, { recursive: true, force: true });
    },
  };
}
