import { FormatError, openZip } from "@soul-hub/soul-formats";
import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import type { Semaphore } from "../../semaphore.ts";
import { importMarks } from "./import-marks.ts";
import { importRooms } from "./import-rooms.ts";
import { importSouls } from "./import-souls.ts";
import { type ArchiveImportRun, nothingDone } from "./import-state.ts";
import { MAX_ENTRIES, MAX_UNPACKED, readManifest } from "./read-archive.ts";

declare module "../../context.ts" {
  interface Hub {
    /** Few archives are imported at once, since an import reads and unpacks up to 256 MiB. */
    archiveImports: Semaphore;
  }
}

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
  try {
    return await ctx.hub.archiveImports.run(async () => {
      await using opened = await openZip(file, { maxEntries: MAX_ENTRIES, maxBytes: MAX_UNPACKED });
      const read = await readManifest(opened);
      const run: ArchiveImportRun = {
        ctx,
        ...read,
        isDry: dry_run,
        soulIds: new Map(),
        packed: new Map(),
        done: nothingDone(),
        skipped: [],
        warnings: [...read.zip.warnings],
      };
      await importSouls(run);
      await importRooms(run);
      await importMarks(run);
      return {
        message: dry_run ? "The archive can be imported." : "The archive is imported.",
        dry_run,
        ...run.done,
        skipped: run.skipped,
        warnings: run.warnings,
      };
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const details = [{ field: error.at, message: error.message }];
    throw new HubError("import_invalid", { details, cause: error });
  }
}
