import { ArchiveError } from "../archive/archive-error.ts";
import type { CopyPort } from "../archive/copy-port.ts";
import { pgliteCopy } from "../archive/pglite-copy.ts";
import { postgresCopy } from "../archive/postgres-copy.ts";
import { openArchive } from "../archive/read-archive.ts";
import { writeArchive } from "../archive/write-archive.ts";
import { firstError } from "../db/database-errors.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { restorePostgres } from "../operator/restore-postgres.ts";
import { verifyBackup } from "../operator/verify-backup.ts";
import { watchTarget } from "../operator/watch-target.ts";
import {
  type ArchiveJob,
  type ArchiveOutcome,
  type ArchiveSource,
  BACKUP_LOCK,
} from "./archive-job.ts";

// The hub ended. Without it, nothing reads the archive.
process.once("disconnect", () => process.exit(1));
process.once("message", async (job: ArchiveJob) => {
  const outcome = await run(job).then((rows) => ({ rows }), asFailure);
  process.send?.(outcome, () => process.disconnect());
});

/** Performs a job, and returns the number of restored rows. */
async function run(job: ArchiveJob): Promise<number> {
  if (job.task === "verify") return (await verifyBackup(job.file, job.place)).rows;
  if (job.task === "restore") {
    const { stalled } = await watchTarget(job.databaseUrl, job.limits);
    // The hub must not wait until a target that fails is empty again.
    const onFailure = (error: unknown) => process.send?.(asFailure(error));
    const target = { url: job.databaseUrl, replace: false, isMove: true, onFailure };
    const restoring = openArchive(process.stdin).then((backup) => restorePostgres(backup, target));
    return (await Promise.race([restoring, stalled])).rows;
  }
  await using source = await openSource(job.source);
  await writeArchive(source, job.context, process.stdout);
  return 0;
}

async function openSource(source: ArchiveSource): Promise<CopyPort> {
  if ("directory" in source) return pgliteCopy(await openPglite({ ...source, sync: false }));
  const port = await postgresCopy(source.databaseUrl);
  const [lock] = await port.query<{ held: boolean }>(
    "select pg_try_advisory_lock($1::bigint) as held",
    [BACKUP_LOCK],
  );
  if (lock?.held) return port;
  await port[Symbol.asyncDispose]();
  throw new ArchiveError("backup_running", "Another backup of this database is running.");
}

function asFailure(thrown: unknown): ArchiveOutcome {
  const error = firstError(thrown);
  return {
    failure: {
      code: error instanceof ArchiveError ? error.code : null,
      message: error instanceof Error ? error.message : String(error),
    },
  };
}
