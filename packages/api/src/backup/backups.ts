import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ArchiveError } from "../archive/archive-error.ts";
import { masterKeyChecks } from "../archive/master-key-checks.ts";
import type { Database } from "../db/database.ts";
import type { Upkeep } from "../db/upkeep/upkeep.ts";
import { HubError } from "../errors.ts";
import type { Maintenance } from "../maintenance.ts";
import type { MoveLimits } from "../operator/watch-target.ts";
import type { MasterKey } from "../vault.ts";
import {
  type ArchiveSource,
  type RunningJob,
  startArchiveJob,
  wholeArchive,
} from "./archive-job.ts";
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
  /** Other time limits of a move. */
  moveLimits?: MoveLimits;
}

export type Backups = ReturnType<typeof createBackups>;

interface BackupPorts {
  database: Database;
  version: string;
  masterKeys: readonly MasterKey[];
  maintenance: Maintenance;
  /** Paused while the embedded database is copied. Null for PostgreSQL. */
  upkeep: Upkeep | null;
}

const MOVE_LIMITS: MoveLimits = { connectMs: 10_000, silenceMs: 30_000, backupMs: 3_600_000 };

/** @param options null for a database in memory, of which there are no backups */
export function createBackups(
  { database, version, masterKeys, maintenance, upkeep }: BackupPorts,
  options: BackupOptions | null,
) {
  let running: Promise<void> | undefined;
  let archive: Readable | undefined;
  const moveLimits = options?.moveLimits ?? MOVE_LIMITS;
  const closing = new AbortController();
  const { signal } = closing;

  /** Copies the embedded database, because no other process may open that of a running hub. */
  async function copied(source: ArchiveSource, opened: AsyncDisposableStack) {
    if (!("directory" in source)) return source;
    const directory = copyOf(source.directory);
    opened.defer(() => rm(directory, { recursive: true, force: true }));
    // A hub that was killed may have left a copy behind.
    await rm(directory, { recursive: true, force: true });
    const write = () => copyEmbedded(database.db, source.directory, { to: directory, signal });
    // A checkpoint would remove parts of the log that the copy needs.
    await (upkeep ? upkeep.paused(write) : write());
    return { directory };
  }

  async function begin(
    { source, secretsFile }: BackupOptions,
    withKeys: boolean,
    opened: AsyncDisposableStack,
  ): Promise<RunningJob> {
    const copy = await copied(source, opened);
    const secrets = withKeys && secretsFile ? await readFile(secretsFile, "utf8") : undefined;
    const context = { app: version, keys: masterKeyChecks(masterKeys), secrets };
    const job = startArchiveJob(
      { task: "write", source: copy, context },
      { signal, yieldsToHub: !maintenance.isOn },
    );
    opened.defer(async () => {
      job.process.kill("SIGKILL");
      await job.done.catch(() => undefined);
    });
    await Promise.race([once(job.archive, "readable"), job.done]);
    // A stream that ends without a byte is readable, too. The process has failed then.
    if (job.archive.readableLength === 0) await job.done;
    return job;
  }

  return {
    /** True if the hub keeps its keys in secrets.json, which a backup can include. */
    haveKeys: typeof options?.secretsFile === "string",
    moveLimits,
    /**
     * Waits for the end of the backup that runs.
     * @throws HubError `backup_running` if it takes longer than a move may wait
     */
    async idle(): Promise<void> {
      const late = sleep(moveLimits.backupMs, true, { ref: false });
      if (await Promise.race([running, late])) throw new HubError("backup_running");
    },
    /**
     * Starts a backup of the running hub. The stream fails if the backup does; only a stream that
     * ends is a backup.
     * @param withKeys includes secrets.json, if the hub has one
     * @throws HubError `backup_running`, `storage_full`
     */
    async open(withKeys: boolean): Promise<Readable> {
      if (!options) throw new Error("A database in memory has no backups.");
      if (running) throw new HubError("backup_running");
      signal.throwIfAborted();
      await using opened = new AsyncDisposableStack();
      const released = Promise.withResolvers<void>();
      running = released.promise;
      opened.defer(() => {
        running = undefined;
        released.resolve();
      });
      const job = await begin(options, withKeys, opened).catch(asHubError);
      const held = opened.move();
      const end = () => held.disposeAsync();
      archive = Readable.from(thenEnd(wholeArchive(job), end), { objectMode: false });
      // A reader may close the stream before its end, or before it has read any of it.
      archive.once("close", end);
      return archive;
    },
    /**
     * Restores a backup into a temporary database and compares it.
     * @param place the directory of that database, which is removed before and afterwards
     * @returns the number of rows
     * @throws ArchiveError `damaged_archive`
     */
    verify: (file: string, place: string): Promise<number> =>
      startArchiveJob({ task: "verify", file, place }, { signal, yieldsToHub: true }).done,
    /** Ends a running backup or verification. */
    async close(): Promise<void> {
      closing.abort();
      archive?.destroy();
      await running;
    },
  };
}

function asHubError(error: unknown): never {
  if (!(error instanceof ArchiveError)) throw error;
  const { code, message } = error;
  if (code === "backup_running") throw new HubError(code, { cause: error });
  if (code === "no_space") throw new HubError("storage_full", { message, cause: error });
  throw error;
}

/** Passes bytes on. Before they end, it calls `end`, so that the reader can begin the next backup. */
async function* thenEnd(bytes: AsyncIterable<Buffer>, end: () => Promise<void>) {
  yield* bytes;
  await end();
}
