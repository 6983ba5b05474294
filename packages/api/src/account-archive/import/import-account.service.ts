import { FormatError, openZip } from "@soul-hub/soul-formats";
import type { AccountContext } from "../../accounts/caller.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { importMarks } from "./import-marks.ts";
import { importRooms } from "./import-rooms.ts";
import { importSouls } from "./import-souls.ts";
import { type ArchiveImportRun, nothingDone } from "./import-state.ts";
import { MAX_ENTRIES, MAX_UNPACKED, readManifest } from "./read-archive.ts";

declare module "../../context.ts" {
  interface Hub {
    /** The number of archives that this server is importing. */
    archiveImports: { running: number };
  }
}

/** An import reads and unpacks up to 256 MiB, so few run at once. */
const MAX_AT_ONCE = 2;

/**
 * Imports the archive of an account into the caller's (0053). Each soul and each room is atomic. What
 * an earlier import has made is left as it is.
 * @param file the path of the archive on disk
 * @throws HubError `import_invalid`, `overloaded`
 */
export async function importAccount(
  ctx: AccountContext,
  { file, dry_run }: { file: string; dry_run: boolean },
) {
  const { archiveImports } = ctx.hub;
  if (archiveImports.running >= MAX_AT_ONCE) throw new HubError("overloaded");
  archiveImports.running++;
  try {
    await using zip = await openZip(file, { maxEntries: MAX_ENTRIES, maxBytes: MAX_UNPACKED });
    const manifest = await readManifest(zip);
    const run = (atomic: ArchiveImportRun["atomic"]): ArchiveImportRun => ({
      ctx,
      zip,
      manifest,
      isDry: dry_run,
      atomic,
      soulIds: new Map(),
      done: nothingDone(),
      skipped: [],
      warnings: [],
    });
    const finished = dry_run
      ? await rolledBack(ctx, (tx) => importAll(run((work) => work(tx))))
      : await importAll(run((work) => ctx.db.transaction().execute(work)));
    return {
      message: dry_run ? "The archive can be imported." : "The archive is imported.",
      dry_run,
      ...finished.done,
      skipped: finished.skipped,
      warnings: finished.warnings,
    };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const details = [{ field: error.at, message: error.message }];
    throw new HubError("import_invalid", { details, cause: error });
  } finally {
    archiveImports.running--;
  }
}

async function importAll(run: ArchiveImportRun): Promise<ArchiveImportRun> {
  await importSouls(run);
  await importRooms(run);
  await importMarks(run);
  return run;
}

/** Does the whole work in one transaction and undoes it. */
async function rolledBack<Result>(
  { db }: AccountContext,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  const undone = new Error("A dry run changes nothing.");
  let result: Result | undefined;
  await db
    .transaction()
    .execute(async (tx) => {
      result = await work(tx);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return result as Result;
}
