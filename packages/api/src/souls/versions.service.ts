import type { AccountContext, CallContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { HubError } from "../errors.ts";
import { changeSoul, textColumns } from "./change-soul.ts";
import { isOwner, visibleSoul } from "./soul-access.ts";
import { detectFileType } from "./soul-content.ts";
import { lockOwnSoul } from "./soul-lock.ts";

/**
 * The snapshots of a soul that the caller may see, newest first. What was written while the soul
 * was private stays its owner's, also after it was published (decisions §7).
 * @throws HubError `soul_not_found`
 */
export async function listVersions(ctx: CallContext, soulId: number) {
  const soul = await visibleSoul(ctx, soulId);
  let versions = ctx.db
    .selectFrom("soul_versions")
    .select(["id", "soul_id", ...textColumns, "edited_at"])
    .where("soul_id", "=", soulId);
  if (!isOwner(ctx, soul)) versions = versions.where("is_public", "=", 1);
  // Ids are taken under the soul's lock: their order is that of the edits.
  const rows = await versions.orderBy("id", "desc").execute();
  const data = rows.map((row) => ({ ...row, edited_at: utcText(row.edited_at) }));
  return { count: data.length, data };
}

interface Restoration {
  soul_id: number;
  version_id: number;
}

/**
 * Brings a snapshot back and keeps the present state as another one, so that nothing is lost.
 * Visibility stays as it is (decisions §7).
 * @throws HubError `soul_not_found`, `not_owner`, `version_not_found`
 */
export async function restoreVersion(ctx: AccountContext, { soul_id, version_id }: Restoration) {
  await ctx.db.transaction().execute(async (tx) => {
    const soul = await lockOwnSoul(ctx, tx, soul_id);
    const version = await tx
      .selectFrom("soul_versions")
      .select(textColumns)
      .where("id", "=", version_id)
      .where("soul_id", "=", soul_id)
      .executeTakeFirst();
    if (!version) throw new HubError("version_not_found");
    await changeSoul(tx, soul, { ...version, file_type: detectFileType(version.content) });
  });
  return { message: "The version is restored. The state before is in the history." };
}
