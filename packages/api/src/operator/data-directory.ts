import { createHash, randomBytes } from "node:crypto";
import {
  access,
  constants,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { z } from "zod";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";
import { blame, EnvironmentError } from "./environment-error.ts";
import { finishRestore } from "./finish-restore.ts";
import { adminToken, masterKeys } from "./secret-fields.ts";
import { writeWhole } from "./write-whole.ts";

export interface LockedDirectory {
  directory: string;
  /** Writes the server's address to a file, for the command line tool on this machine. */
  announce(address: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks the data directory, since two processes on one embedded database would destroy it. The lock
 * is a listening socket: the system releases it when the process ends.
 * @throws EnvironmentError where another process holds the lock or the directory is not usable
 */
export async function lockDataDirectory(given: string): Promise<LockedDirectory> {
  const directory = await blame({ DATA_DIR: given }, openDirectory(given));
  await using locks = new AsyncDisposableStack();
  for (const address of await lockAddresses(directory)) {
    const lock = await takeLock(address);
    if (!lock) {
      throw new EnvironmentError(
        `DATA_DIR: ${directory} is in use by another Soul Hub process. Stop that one, or give this one another DATA_DIR or a DATABASE_URL.`,
      );
    }
    locks.use(lock);
  }
  const announced = path.join(directory, "server.json");
  // Deletes the address file that a killed process left. Another program may use that address by
  // now.
  await rm(announced, { force: true });
  await finishRestore(directory);
  const held = locks.move();
  return {
    directory,
    announce: (address) => writeWhole(announced, { address }),
    async release() {
      await rm(announced, { force: true });
      await held.disposeAsync();
    },
  };
}

async function openDirectory(given: string): Promise<string> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  await access(given, constants.R_OK | constants.W_OK | constants.X_OK);
  const directory = await realpath(given);
  flushDirectory(path.dirname(directory));
  return directory;
}

/**
 * The longest path of a lock's socket, in bytes. The system allows about 100, and renaming a stale
 * socket makes its path longer (takeLock).
 */
const LOCK_PATH_BYTES = 90;

/**
 * Returns the addresses of the socket that locks the data directory. They do not depend on TMPDIR,
 * because two processes may have different values of it.
 */
async function lockAddresses(directory: string): Promise<string[]> {
  // The addresses contain the inode of the data directory. Containers that share a network may have
  // different directories at the same path.
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `soul-hub-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 16)}`;
  if (process.platform === "win32") return [`\\\\.\\pipe\\${name}`];
  const inside = path.join(directory, "hub.lock");
  const file = Buffer.byteLength(inside) <= LOCK_PATH_BYTES ? inside : `/tmp/${name}.lock`;
  // Linux has abstract sockets, which have no file and never become stale. The socket file is for
  // containers that share the directory but not the network.
  return process.platform === "linux" ? [`\0${name}`, file] : [file];
}

async function takeLock(address: string): Promise<Server | null> {
  const lock = await listen(address);
  if (lock || !path.isAbsolute(address) || (await answers(address))) return lock;
  // A killed process left the socket's file behind, and another process may replace the file at the
  // same time. Only one process can rename the file, and it removes the file only if no process
  // listens. While the file of a live socket is renamed, a third process could take the lock. On
  // Linux, the abstract socket prevents that.
  const moved = `${address}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(address, moved);
  } catch (error) {
    return nullWhereAbsent(error as NodeJS.ErrnoException);
  }
  if (await answers(moved)) {
    await rename(moved, address);
    return null;
  }
  await rm(moved, { force: true });
  return listen(address);
}

/** Listens at an address. Resolves to null if another process listens there. */
const listen = (address: string) =>
  new Promise<Server | null>((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });

/**
 * Returns true if a process listens at the address. Errors count as true, except for a refused
 * connection and a missing file.
 */
const answers = (address: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => resolve(true)).once("connect", () => socket.destroy());
    socket.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });

/** The key in secrets.json of a hub without key rotation: one key, with the id k1. */
const singleKey = z
  .string()
  .transform((key) => `k1:${key}`)
  .pipe(masterKeys);
const storedSecrets = z
  .object({ admin_token: adminToken })
  .and(z.union([z.object({ master_keys: masterKeys }), z.object({ master_key: singleKey })]))
  .transform((stored) => ({
    masterKeys: "master_keys" in stored ? stored.master_keys : stored.master_key,
    adminToken: stored.admin_token,
  }));
export type Secrets = z.infer<typeof storedSecrets>;

/**
 * Reads the embedded hub's secrets (decisions §8). On the first start, creates the secrets in a
 * file with mode 0600. `master_keys` has the format of MASTER_KEYS: to rotate keys, the operator
 * puts a new key first.
 * @throws EnvironmentError where the secrets are damaged, or missing beside an existing database
 */
export async function readOrMakeSecrets(directory: string): Promise<Secrets> {
  return (await readSecrets(directory)) ?? firstSecrets(directory, secretsFile(directory));
}

/**
 * Reads the embedded hub's secrets; null if the file does not exist.
 * @throws EnvironmentError where the secrets are damaged
 */
export async function readSecrets(directory: string): Promise<Secrets | null> {
  const file = secretsFile(directory);
  const reading = readFile(file, "utf8").catch(nullWhereAbsent);
  const text = await blame({ DATA_DIR: file }, reading);
  return text === null ? null : parseSecrets(file, text);
}

/** The path of the file with an embedded hub's master keys and ADMIN_TOKEN. */
export const secretsFile = (directory: string): string => path.join(directory, "secrets.json");

function nullWhereAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

/**
 * Parses the text of secrets.json. The error omits the parsers' messages, which quote the text:
 * damaged secrets are still secret.
 */
export function parseSecrets(file: string, text: string): Secrets {
  try {
    return storedSecrets.parse(JSON.parse(text));
  } catch {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is damaged. Put a copy of it back: without its master key the stored API keys can't be shown again.`,
    );
  }
}

/**
 * Creates secrets only if there is no database: a new master key cannot decrypt an existing one.
 */
async function firstSecrets(directory: string, file: string): Promise<Secrets> {
  const database = path.join(directory, "database");
  const files = await blame({ DATA_DIR: database }, readdir(database).catch(nullWhereAbsent));
  if (files?.length) {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is missing, and without it the API keys stored in ${database} can't be shown. Put a copy of it back, or set MASTER_KEYS and ADMIN_TOKEN. To start anew with an empty hub, move ${database} away.`,
    );
  }
  const secrets = newSecrets();
  await writeWhole(file, secrets);
  return storedSecrets.parse(secrets);
}

/** Returns the content of a secrets.json with a new master key and a new token. */
export const newSecrets = () => ({
  master_keys: `k1:${randomBytes(32).toString("base64")}`,
  admin_token: randomBytes(24).toString("base64url"),
});
