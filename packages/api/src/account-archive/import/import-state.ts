import { setTimeout as sleep } from "node:timers/promises";
import { FormatError, type OpenZip } from "@soul-hub/soul-formats";
import { sql } from "kysely";
import { lockAccount } from "../../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { HubError } from "../../errors.ts";
import { type ArchiveManifest, eachCount } from "../archive-format.ts";
import type { ArchivedFiles } from "./read-archive.ts";

/** How long a reading waits before it asks again for a place among those that wait. */
const RETRY_MS = 200;

/** An import of an archive while it runs. */
export interface ArchiveImportRun {
  ctx: AccountContext;
  zip: OpenZip;
  manifest: ArchiveManifest;
  files: ArchivedFiles;
  isDry: boolean;
  /** The ids of the archive's souls on this hub. */
  soulIds: Map<number, number>;
  /** In a dry run: the sizes of the files that packages would hold, by hash. */
  packed: Map<string, number>;
  done: ReturnType<typeof nothingDone>;
  skipped: { path: string; reason: string }[];
  warnings: { path: string; message: string }[];
}

export const nothingDone = () => eachCount(() => ({ created: 0, unchanged: 0 }));

/** Whether the archive was written by this hub, so that its ids are those of this hub. */
export const isFromHere = ({ ctx, manifest }: ArchiveImportRun): boolean =>
  manifest.hub_id === ctx.hub.database.id;

/** SQL: a time of an archive, which is never later than now. */
export const past = (given: string) => sql<string>`least(${given}::timestamptz, hub_now())`;

/** Thrown to undo the work of a dry run. */
class Undone extends Error {}

/**
 * Runs work in a transaction of its own, which a dry run undoes. The lock on the account lets two
 * imports of the same archive run one after the other. The second finds the rows of the first.
 */
export async function atomic(
  { ctx, isDry }: ArchiveImportRun,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  try {
    await transact(ctx.db, async (tx) => {
      await lockAccount(tx, ctx.caller.account.id);
      await work(tx);
      if (isDry) throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

/**
 * Imports one part of an archive. A part that cannot be imported is named, and the others go on. A
 * failure of the hub itself ends the import.
 */
export async function orSkip(
  { skipped }: ArchiveImportRun,
  path: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof FormatError) {
      skipped.push({ path, reason: [error.at, error.message].filter(Boolean).join(" ") });
    } else if (error instanceof HubError && error.status < 500) {
      skipped.push({ path, reason: error.message });
    } else throw error;
  }
}

/** Repeats a reading while too many wait, as the import has stored other parts already. */
export async function inTurn<Result>(
  { ctx: { hub } }: ArchiveImportRun,
  reading: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await reading();
    } catch (error) {
      if (!(error instanceof HubError && error.code === "overloaded")) throw error;
      await sleep(RETRY_MS, undefined, { signal: hub.stopping });
    }
  }
}

/** Imports a room, in a transaction of its own. */
export const importPart = (
  run: ArchiveImportRun,
  path: string,
  work: (tx: Db) => Promise<void>,
): Promise<void> => orSkip(run, path, () => atomic(run, work));

type Kind = "soul" | "room";

/** The results of the caller's earlier imports from the hub that wrote the archive. */
export const earlierImports = (tx: Db, { ctx, manifest }: ArchiveImportRun, kind: Kind) =>
  tx
    .selectFrom("archive_imports")
    .select(["source_id", "target_id", "state"])
    .where("account_id", "=", ctx.caller.account.id)
    .where("hub_id", "=", manifest.hub_id)
    .where("kind", "=", kind);

/** Reads the result of an earlier import of the same soul or room. */
export const knownImport = (tx: Db, run: ArchiveImportRun, kind: Kind, sourceId: number) =>
  earlierImports(tx, run, kind).where("source_id", "=", sourceId).executeTakeFirst();

export async function rememberImport(
  tx: Db,
  { ctx, manifest }: ArchiveImportRun,
  kind: Kind,
  made: { source_id: number; target_id: number; state: number },
): Promise<void> {
  await tx
    .insertInto("archive_imports")
    .values({ account_id: ctx.caller.account.id, hub_id: manifest.hub_id, kind, ...made })
    .onConflict((known) =>
      known
        .columns(["account_id", "hub_id", "kind", "source_id"])
        .doUpdateSet({ target_id: made.target_id, state: made.state }),
    )
    .execute();
}
