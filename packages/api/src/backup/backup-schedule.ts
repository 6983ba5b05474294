import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { HubError } from "../errors.ts";
import { fileTime } from "../file-time.ts";
import { writeJson, writeWhole } from "../operator/write-whole.ts";
import { listBackups, pruneBackups } from "./backup-files.ts";
import type { Backups } from "./backups.ts";

export interface BackupScheduleOptions {
  /** The directory of the backups. */
  directory: string;
  /** Hours between two backups, at least 1. */
  everyHours: number;
  /** The number of backups that are kept. */
  keep: number;
}

const PREFIX = "daily-";
/** The file that names the backup that was verified last. */
const VERIFIED = "verified.json";
const HOUR_MS = 3_600_000;
const VERIFY_MS = 7 * 24 * HOUR_MS;
/** After a failure, for example on a full disk, the next try waits. */
const RETRY_MS = HOUR_MS;

interface Ports {
  backups: Backups;
  registry: Registry;
  log: Logger;
}

/** Writes backups on schedule, and verifies the newest one weekly. */
export function createBackupSchedule(
  { backups, registry, log }: Ports,
  { directory, everyHours, keep }: BackupScheduleOptions,
) {
  const marker = path.join(directory, VERIFIED);
  let retryAt = 0;
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const writtenAt = gauge(
    "soulhub_backup_timestamp_seconds",
    "Time of the newest scheduled backup, as Unix time in seconds.",
  );
  const verifiedAt = gauge(
    "soulhub_backup_verified_timestamp_seconds",
    "Time of the last successful verification, as Unix time in seconds.",
  );

  /** Reads the times of the last backup and verification, which former processes may have done. */
  async function readTimes() {
    const [newest] = await listBackups(directory, PREFIX);
    const text = await readFile(marker, "utf8").catch(() => "{}");
    const written = newest?.writtenAt.getTime() ?? 0;
    const verified = Date.parse(JSON.parse(text).at ?? "") || 0;
    writtenAt.set(written / 1_000);
    verifiedAt.set(verified / 1_000);
    return { written, verified };
  }

  async function write(): Promise<void> {
    const file = path.join(directory, `${PREFIX}${fileTime()}.hub`);
    await writeWhole(file, await backups.open(true));
    await pruneBackups(directory, PREFIX, keep);
    writtenAt.setToCurrentTime();
    log.info({ file }, "wrote a backup");
  }

  async function verify(): Promise<void> {
    const [newest] = await listBackups(directory, PREFIX);
    if (!newest) return;
    const rows = await backups.verify(newest.file, path.join(directory, "verifying"));
    await writeJson(marker, { file: path.basename(newest.file), at: new Date().toISOString() });
    verifiedAt.setToCurrentTime();
    log.info({ file: newest.file, rows }, "verified a backup");
  }

  return {
    /** Writes a backup and verifies the newest one, if either is due. The hub calls `run` every minute. */
    async run(): Promise<void> {
      if (Date.now() < retryAt) return;
      // Until it is done, a run also keeps the next one away.
      retryAt = Date.now() + RETRY_MS;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // Before the work, which may fail: an alert compares these times.
      const { written, verified } = await readTimes();
      try {
        if (Date.now() - written >= everyHours * HOUR_MS) await write();
        if (Date.now() - verified >= VERIFY_MS) await verify();
      } catch (error) {
        // The operator's own backup runs. This one follows in a minute.
        if (!(error instanceof HubError && error.code === "backup_running")) throw error;
      }
      retryAt = 0;
    },
  };
}
