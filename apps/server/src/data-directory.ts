import { createHash, randomBytes } from "node:crypto";
import {
  access,
  chmod,
  constants,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import type { MasterKey } from "@soul-hub/api";
import { z } from "zod";
import { blame, EnvironmentError, masterKeys } from "./env.ts";

export interface LockedDirectory {
  directory: string;
  /** Leaves the address that the server listens on, for the command line tool on this machine. */
  announce(address: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes the data directory for this process alone: two on one embedded database would destroy it.
 * The lock is a socket that listens, so that it ends with its process, however that ends.
 * @throws EnvironmentError when another process has it, or it can't be used
 */
export async function lockDataDirectory(given: string): Promise<LockedDirectory> {
  const directory = await blame({ DATA_DIR: given }, openDirectory(given));
  const locks: Server[] = [];
  const unlock = async () => {
    await Promise.all(locks.map((lock) => new Promise((resolve) => lock.close(resolve))));
  };
  const announced = path.join(directory, "server.json");
  for (const address of await lockAddresses(directory)) {
    const lock = await takeLock(address);
    if (!lock) {
      await unlock();
      throw new EnvironmentError(
        `DATA_DIR: ${directory} is in use by another Soul Hub process. Stop that one, or give this one another DATA_DIR or a DATABASE_URL.`,
      );
    }
    locks.push(lock);
  }
  // Left behind by a process that was killed: somebody else may listen there by now.
  await rm(announced, { force: true });
  return {
    directory,
    announce: (address) => writeWhole(announced, { address }),
    async release() {
      await rm(announced, { force: true });
      await unlock();
    },
  };
}

async function openDirectory(given: string): Promise<string> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  await access(given, constants.R_OK | constants.W_OK | constants.X_OK);
  return realpath(given);
}

/** A socket's path may have about 100 bytes, and a stale one is given a longer name (below). */
const LOCK_PATH_BYTES = 90;

/** The same in every process, whatever its environment says: TMPDIR, for one, may differ. */
async function lockAddresses(directory: string): Promise<string[]> {
  // Not its path: containers with one network may each have another directory under one path.
  const { dev, ino } = await stat(directory, { bigint: true });
  const name = `soul-hub-${createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 16)}`;
  if (process.platform === "win32") return [`\\\\.\\pipe\\${name}`];
  const inside = path.join(directory, "hub.lock");
  const file = Buffer.byteLength(inside) <= LOCK_PATH_BYTES ? inside : `/tmp/${name}.lock`;
  // Linux has sockets without a file: none is left behind, so nobody can take one for stale.
  // The file is for containers that share the directory and not the network.
  return process.platform === "linux" ? [`\0${name}`, file] : [file];
}

async function takeLock(address: string): Promise<Server | null> {
  const lock = await listen(address);
  if (lock || !path.isAbsolute(address) || (await answers(address))) return lock;
  // Left behind by a process that was killed. Another may find that out too, and listen there by
  // now: so it is moved, which only one can do, and removed only when what was moved is dead.
  // A third that starts just while a live one is moved would still get in: hence Linux's own lock.
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

/** Answers null where somebody else listens, or did. */
const listen = (address: string) =>
  new Promise<Server | null>((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });

/** In doubt it does: one that may not be asked, or is too busy to answer, is alive. */
const answers = (address: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => resolve(true)).once("connect", () => socket.destroy());
    socket.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });

export interface Secrets {
  masterKeys: MasterKey[];
  adminToken: string;
}

const adminToken = z.string().min(16).regex(/^\S+$/);
const storedSecrets = z.union([
  z.object({ master_keys: masterKeys, admin_token: adminToken }),
  // Hubs that could not rotate keys wrote one alone, whose id was always k1.
  z
    .object({
      master_key: z
        .string()
        .transform((key) => `k1:${key}`)
        .pipe(masterKeys),
      admin_token: adminToken,
    })
    .transform(({ master_key, admin_token }) => ({ master_keys: master_key, admin_token })),
]);
type StoredSecrets = z.infer<typeof storedSecrets>;

/**
 * The embedded hub's own secrets, made once and kept beside its database (decisions §8), mode 0600.
 * `master_keys` is written like MASTER_KEYS: an operator who rotates keys puts a new one in front.
 * @throws EnvironmentError when they are damaged, or gone while the database is there
 */
export async function readOrMakeSecrets(directory: string): Promise<Secrets> {
  const file = path.join(directory, "secrets.json");
  const reading = readFile(file, "utf8").catch(nullWhereAbsent);
  const text = await blame({ DATA_DIR: file }, reading);
  const stored = text === null ? await firstSecrets(directory, file) : parseSecrets(file, text);
  return {
    masterKeys: stored.master_keys,
    adminToken: stored.admin_token,
  };
}

function nullWhereAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

/** Says nothing of what it read, as the parsers' own messages would: it is secret even damaged. */
function parseSecrets(file: string, text: string): StoredSecrets {
  try {
    return storedSecrets.parse(JSON.parse(text));
  } catch {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is damaged. Put a copy of it back: without its master key the stored API keys can't be shown again.`,
    );
  }
}

/** A new master key would open nothing that an older one sealed. */
async function firstSecrets(directory: string, file: string): Promise<StoredSecrets> {
  const database = path.join(directory, "database");
  const kept = await blame({ DATA_DIR: database }, readdir(database).catch(nullWhereAbsent));
  if (kept?.length) {
    throw new EnvironmentError(
      `DATA_DIR: ${file} is missing, and without it the API keys stored in ${database} can't be shown. Put a copy of it back, or set MASTER_KEYS and ADMIN_TOKEN. To start anew with an empty hub, move ${database} away.`,
    );
  }
  return makeSecrets(file);
}

async function makeSecrets(file: string): Promise<StoredSecrets> {
  const secrets = {
    master_keys: `k1:${randomBytes(32).toString("base64")}`,
    admin_token: randomBytes(24).toString("base64url"),
  };
  await writeWhole(file, secrets);
  return storedSecrets.parse(secrets);
}

/** Whole or not at all: a half-written key would lock everything it ever seals. */
async function writeWhole(file: string, content: object): Promise<void> {
  const unfinished = `${file}.new`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
}
