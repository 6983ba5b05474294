import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import os from "node:os";
import path from "node:path";
import type { MasterKey } from "@soul-hub/api";
import { EnvironmentError } from "./env.ts";

export interface LockedDirectory {
  directory: string;
  release(): Promise<void>;
}

/**
 * Takes the data directory for this process alone: two on one embedded database would destroy it.
 * The lock is a socket that listens, so that it ends with its process, however that ends.
 * @throws EnvironmentError when another process has it
 */
export async function lockDataDirectory(given: string): Promise<LockedDirectory> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  const directory = await realpath(given);
  const address = lockAddress(directory);
  const lock = createServer((socket) => socket.destroy());
  lock.unref();
  if (!(await listens(lock, address))) {
    if (await answers(address)) {
      throw new EnvironmentError(
        `DATA_DIR: ${directory} is in use by another Soul Hub process. Stop that one, or give this one another DATA_DIR (or a DATABASE_URL, which many can share).`,
      );
    }
    // Left behind by a process that was killed.
    await rm(address, { force: true });
    if (!(await listens(lock, address))) throw new Error(`${address} can't be listened on.`);
  }
  return { directory, release: () => new Promise((resolve) => lock.close(() => resolve())) };
}

/** A socket's path may have about 100 bytes; a longer one is named by its hash in the system's own folder. */
function lockAddress(directory: string): string {
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  if (process.platform === "win32") return `\\\\.\\pipe\\soul-hub-${name}`;
  const inside = path.join(directory, "hub.lock");
  return Buffer.byteLength(inside) < 100 ? inside : path.join(os.tmpdir(), `soul-hub-${name}.lock`);
}

const listens = (server: Server, address: string) =>
  new Promise<boolean>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
  });

const answers = (address: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export interface Secrets {
  masterKeys: MasterKey[];
  adminToken: string;
}

/** The embedded hub's own secrets, made once and kept beside its database (decisions §8), mode 0600. */
export async function readOrMakeSecrets(directory: string): Promise<Secrets> {
  const file = path.join(directory, "secrets.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  const stored = text === null ? await makeSecrets(file) : parseSecrets(file, text);
  return {
    masterKeys: [{ id: "k1", key: Buffer.from(stored.master_key, "base64") }],
    adminToken: stored.admin_token,
  };
}

interface StoredSecrets {
  master_key: string;
  admin_token: string;
}

function parseSecrets(file: string, text: string): StoredSecrets {
  const { master_key, admin_token } = JSON.parse(text) as Partial<StoredSecrets>;
  if (master_key && admin_token) return { master_key, admin_token };
  throw new Error(
    `${file} is damaged. Without its master key the stored API keys can't be shown again.`,
  );
}

async function makeSecrets(file: string): Promise<StoredSecrets> {
  const secrets = {
    master_key: randomBytes(32).toString("base64"),
    admin_token: randomBytes(24).toString("base64url"),
  };
  // Whole or not at all: a half-written key would lock everything it ever seals.
  const unfinished = `${file}.new`;
  await writeFile(unfinished, `${JSON.stringify(secrets, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
  return secrets;
}
