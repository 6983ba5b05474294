import type { OpenZip } from "@soul-hub/soul-formats";
import type { AccountContext } from "../../accounts/caller.ts";
import type { Db } from "../../db/database.ts";
import type { ReadManifest } from "./read-archive.ts";

interface Tally {
  created: number;
  unchanged: number;
}

/** An import of an archive while it runs. */
export interface ArchiveImportRun {
  ctx: AccountContext;
  zip: OpenZip;
  manifest: ReadManifest;
  isDry: boolean;
  /** Runs work in a transaction of its own; in a dry run in one that is undone at the end. */
  atomic<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
  /** The ids of the archive's souls on this hub. */
  soulIds: Map<number, number>;
  done: Record<"souls" | "versions" | "rooms" | "lines" | "likes" | "ratings", Tally>;
  skipped: { path: string; reason: string }[];
  warnings: { path: string; message: string }[];
}

export const nothingDone = (): ArchiveImportRun["done"] => ({
  souls: { created: 0, unchanged: 0 },
  versions: { created: 0, unchanged: 0 },
  rooms: { created: 0, unchanged: 0 },
  lines: { created: 0, unchanged: 0 },
  likes: { created: 0, unchanged: 0 },
  ratings: { created: 0, unchanged: 0 },
});

type Kind = "soul" | "room";

/** Reads what an earlier import of the same thing made. */
export const knownImport = (
  tx: Db,
  { ctx, manifest }: ArchiveImportRun,
  kind: Kind,
  sourceId: number,
) =>
  tx
    .selectFrom("archive_imports")
    .select(["target_id", "state"])
    .where("account_id", "=", ctx.caller.account.id)
    .where("hub_id", "=", manifest.hub_id)
    .where("kind", "=", kind)
    .where("source_id", "=", sourceId)
    .executeTakeFirst();

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
