import { createHash, randomBytes } from "node:crypto";
import {
  access,
  chmod,
  constants,
  mkdir,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";
import { blame, EnvironmentError } from "./environment-error.ts";
import { finishRestore } from "./finish-restore.ts";
import { nullIfAbsent } from "./null-if-absent.ts";
import { writeJson } from "./write-whole.ts";

/** A data directory that this process alone uses, until its disposal. */
export interface LockedDirectory extends AsyncDisposable {
  directory: string;
  /** Writes the server's address to a file, for the command line tool on this machine. */
  announce(address: string): Promise<void>;
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
  locks.defer(() => rm(announced, { force: true }));
  await rm(announced, { force: true });
  await finishRestore(directory);
  await takeRights(directory);
  const held = locks.move();
  return {
    directory,
    announce: (address) => writeJson(announced, { address }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function openDirectory(given: string): Promise<string> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  await access(given, constants.R_OK | constants.W_OK | constants.X_OK);
  const directory = await realpath(given);
  flushDirectory(path.dirname(directory));
  return directory;
}

const PRIVATE = /^(?:database|secrets\.json)/;

/**
 * Takes the rights of everyone but the owner to databases and secrets, former ones included. A
 * former release or a copy of the directory may have given them.
 */
async function takeRights(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((name) => PRIVATE.test(name))) {
    const file = path.join(directory, name);
    const { mode } = await stat(file);
    // A secret that the operator mounts belongs to another user, who decides on its mode.
    if (mode & 0o077) await chmod(file, mode & 0o700).catch(() => undefined);
  }
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
  const isRenamed = await rename(address, moved).then(() => true, nullIfAbsent);
  if (!isRenamed) return null;
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
