import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type DatabaseKind,
  ownPostgresDatabase,
  type ServerProcess,
  startServerProcess,
} from "@soul-hub/api/testing";
import { expect } from "vitest";

const serverMain = path.resolve(import.meta.dirname, "../../server/src/main.ts");
const main = path.join(import.meta.dirname, "main.ts");
export const ADMIN_TOKEN = "admin-token-of-the-cli-test";

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The real tool in a process of its own, with this environment and no other. */
export const runTool = (env: Record<string, string>, ...args: string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      if (env.ADMIN_TOKEN) expect(stdout + stderr).not.toContain(env.ADMIN_TOKEN);
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });

export interface HubProcess extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Where the server keeps its things, if it is the embedded one's. */
  readonly directory: string;
  /** What an operator beside the server has in the environment. */
  operator(): Record<string, string>;
  /** `pnpm hub …` */
  hub(...args: string[]): Promise<Ended>;
  /** Stops it and starts it on the same data, with this ring of master keys. */
  restart(masterKeys: (before: string) => string): Promise<void>;
}

/** A real server on its own data. Its keys and token are made by it, or given, as decisions §8 say. */
export async function startHubProcess(kind: DatabaseKind): Promise<HubProcess> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-cli-"));
  const secrets = path.join(directory, "secrets.json");
  const postgres = kind === "postgresql" ? await ownPostgresDatabase() : undefined;
  let ring = `k1:${randomBytes(32).toString("base64")}`;
  const start = () =>
    startServerProcess(serverMain, {
      DATA_DIR: directory,
      RATE_LIMITS: "off",
      ...(postgres && { DATABASE_URL: postgres.url, ADMIN_TOKEN, MASTER_KEYS: ring }),
    });
  let server = await start();
  const operator = () => ({
    DATA_DIR: directory,
    ...(postgres && { BASE_URL: server.url, ADMIN_TOKEN }),
  });
  return {
    get server() {
      return server;
    },
    directory,
    operator,
    hub: (...args) => runTool(operator(), ...args),
    async restart(masterKeys) {
      await server.stop();
      ring = masterKeys(ring);
      if (!postgres) {
        const stored = JSON.parse(await readFile(secrets, "utf8"));
        stored.master_keys = masterKeys(stored.master_keys);
        await writeFile(secrets, JSON.stringify(stored));
      }
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A new account, by REST. */
export async function register({ server }: HubProcess, username: string) {
  const { body } = await server.actor({ name: username }).post("/api/register", {
    username,
    password: "correct horse battery",
    email: `${username}@example.org`,
  });
  return server.actor({ name: username, apiKey: body.api_key });
}
