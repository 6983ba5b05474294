import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { ArchiveError } from "../archive/archive-error.ts";
import { masterKeyChecks } from "../archive/master-key-checks.ts";
import type { Database } from "../db/database.ts";
import type { Upkeep } from "../db/upkeep/upkeep.ts";
import { HubError } from "../errors.ts";
import type { Maintenance } from "../maintenance.ts";
import type { MasterKey } from "../vault.ts";
import { type ArchiveSource, startArchiveJob, wholeArchive } from "./archive-job.ts";
import { copyEmbedded, copyOf } from "./copy-embedded.ts";

declare module "../context.ts" {
  interface Hub {
    backups: Backups;
  }
}

export interface BackupOptions {
  /** The database, by a direct connection if it is a PostgreSQL server. */
  source: ArchiveSource;
  /** The file with the embedded hub's keys, or null if the operator keeps them elsewhere. */
  secretsFile: string | null;
}

export interface Backups {
  /** True if the hub keeps its keys in secrets.json, which a backup can include. */
  readonly haveKeys: boolean;
  /**
   * Starts a backup of the running hub. The stream fails if the backup does; only a stream that
   * ends is a backup.
   * @param withKeys includes secrets.json, if the hub has one
   * @throws HubError `backup_running`, `storage_full`
   */
  open(withKeys: boolean): Promise<Readable>;
  /**
   * Restores a backup into a temporary database and compares it.
   * @param place the directory of that database, which is removed before and afterwards
   * @returns the number of rows
   * @throws ArchiveError `damaged_archive`
   */
  verify(file: string, place: string): Promise<number>;
  /** Ends a running backup or verification. */
  close(): Promise<void>;
}

interface BackupPorts {
  database: Database;
  version: string;
  masterKeys: readonly MasterKey[];
  maintenance: Maintenance;
  /** Paused while the embedded database is copied. Null for PostgreSQL. */
  upkeep: Upkeep | null;
}

/** @param options null for a database in memory, of which there are no backups */
export function createBackups(
  { database, version, masterKeys, maintenance, upkeep }: BackupPorts,
  options: BackupOptions | null,
): Backups {
  let running: Promise<void> | undefined;
  let archive: Readable | undefined;
  const closing = new AbortController();

  async function begin({ source, secretsFile }: BackupOptions, withKeys: boolean) {
    await using opened = new AsyncDisposableStack();
    let copy = source;
    if ("directory" in source) {
      const directory = copyOf(source.directory);
      opened.defer(() => rm(directory, { recursive: true, force: true }));
      // A hub that was killed may have left a copy behind.
      await rm(directory, { recursive: true, force: true });
      const write = () =>
        copyEmbedded(database.db, source.directory, { to: directory, signal: closing.signal });
      // A checkpoint would remove parts of the log that the copy needs.
      await (upkeep ? upkeep.paused(write) : write());
      copy = { directory };
    }
    const secrets = withKeys && secretsFile ? await readFile(secretsFile, "utf8") : undefined;
    const keys = masterKeyChecks(masterKeys);
    const context = { app: version, keys, secrets };
    const yieldsToHub = !maintenance.isOn;
    const write = { task: "write", source: copy, context } as const;
    const job = startArchiveJob(write, { signal: closing.signal, yieldsToHub });
    await Promise.race([once(job.archive, "readable"), job.done]);
    // A stream that ends without a byte is readable, too. The process has failed then.
    if (job.archive.readableLength === 0) await job.done;
    return { job, cleanUp: opened.move() };
  }

  return {
    haveKeys: typeof options?.secretsFile === "string",
    async open(withKeys) {
      if (!options) throw new Error("A database in memory has no backups.");
      if (running) throw new HubError("backup_running");
      const released = Promise.withResolvers<void>();
      running = released.promise;
      closing.signal.throwIfAborted();
      const release = () => {
        // The stream of an earlier backup may close while the next one runs.
        if (running === released.promise) running = undefined;
        released.resolve();
      };
      try {
        const { job, cleanUp } = await begin(options, withKeys);
        const end = async () => {
          await cleanUp.disposeAsync();
          release();
        };
        archive = Readable.from(thenEnd(wholeArchive(job), end), { objectMode: false });
        archive.once("close", async () => {
          // A reader may close the stream before its end, or before it has read any of it.
          job.process.kill("SIGKILL");
          await job.done.catch(() => undefined);
          await end();
        });
        return archive;
      } catch (error) {
        release();
        throw asHubError(error);
      }
    },
    verify: (file, place) =>
      startArchiveJob(
        { task: "verify", file, place },
        { signal: closing.signal, yieldsToHub: true },
      ).done,
    async close() {
      closing.abort();
      archive?.destroy();
      await running;
    },
  };
}

function asHubError(error: unknown): unknown {
  if (!(error instanceof ArchiveError)) return error;
  const { code, message } = error;
  if (code === "backup_running") return new HubError(code, { cause: error });
  if (code === "no_space") return new HubError("storage_full", { message, cause: error });
  return error;
}

/** Passes bytes on. Before they end, it calls `end`, so that the reader can begin the next backup. */
async function* thenEnd(bytes: AsyncIterable<Buffer>, end: () => Promise<void>) {
  yield* bytes;
  await end();
}
