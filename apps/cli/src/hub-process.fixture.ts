import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
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
  const ended = { stdout: "", stderr: "" };
  const keep = (stream: keyof typeof ended) => (text: string) => {
    ended[stream] += text;
  };
  const output = { stdout: keep("stdout"), stderr: keep("stderr") };
  return withoutToken(env, { code: await runCli(args, output, { env }), ...ended });
}

/**
 * Runs the command line tool in a process of its own. The environment contains only the given
 * variables.
 * @param timeout kills the process after these milliseconds, unless it has ended
 */
const execTool = (env: Record<string, string>, args: string[], timeout = 0) =>
  new Promise<Ended>((resolve) => {
    // A backup is binary.
    const options = { env, encoding: "latin1", timeout, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve(withoutToken(env, { code: error ? Number(error.code) : 0, stdout, stderr }));
    });
  });

export const spawnTool = (env: Record<string, string>, ...args: string[]) => execTool(env, args);

export const killTool = (afterMs: number, env: Record<string, string>, ...args: string[]) =>
  execTool(env, args, afterMs);

/** Asserts that the output does not contain the operator's token, and returns the output. */
function withoutToken({ ADMIN_TOKEN: token }: Record<string, string>, ended: Ended): Ended {
  if (token) expect(ended.stdout + ended.stderr).not.toContain(token);
  return ended;
}

export type HubProcess = Awaited<ReturnType<typeof startHubProcess>>;

/**
 * Starts a server with an embedded database. The server generates its keys and the operator's token
 * (decisions §8).
 * @param given a DATA_DIR with data, by default a new one
 */
export async function startHubProcess(given?: string) {
  const directory = given ?? (await mkdtemp(path.join(tmpdir(), "soul-hub-cli-")));
  if (!given) await fillDataDirectory(directory);
  const secrets = path.join(directory, "secrets.json");
  const start = () => startServerProcess(serverMain, { DATA_DIR: directory });
  let server = await start();
  return {
    get server(): ServerProcess {
      return server;
    },
    /** The DATA_DIR of the server. */
    directory,
    /** Runs `pnpm hub …` in this process. The environment contains only DATA_DIR. */
    hub: (...args: string[]) => runTool({ DATA_DIR: directory }, ...args),
    /** Starts the server again on the same data, with other MASTER_KEYS. */
    async restart(masterKeys: (before: string) => string): Promise<void> {
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
