import { type RawBuilder, sql } from "kysely";
import type { AccountContext } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { changeSoul, textColumns } from "../change-soul.ts";
import { isOwner, mayUse, visibleSoul } from "../soul-access.ts";
import { detectFileType } from "../soul-content.ts";
import { lockOwnSoul } from "../soul-lock.ts";

/**
 * Lists the snapshots of a soul, newest first. Only the owner sees snapshots from while the soul
 * was private (decisions §7). An NFT gate hides the content from callers who do not pass it. A
 * snapshot that had another gate shows its content to the owner only (0014).
 * @throws HubError `soul_not_found`, `chain_unavailable`
 */
export async function listVersions(ctx: CallContext, soulId: number) {
  const soul = await visibleSoul(ctx, soulId);
  const reader: Reader = isOwner(ctx, soul)
    ? "owner"
    : { gate: soul.nft_contract, passes: await mayUse(ctx, soul) };
  // Callers with equal rights to a soul's snapshots share one read per event-loop turn, since the
  // list may be large.
  const key = `versions ${soulId} ${JSON.stringify(reader)}`;
  return ctx.hub.souls.list(key, () => readVersions(ctx.db, soulId, reader));
}

/**
 * The reader of snapshots. `gate` is the soul's current NFT contract. `passes` is true if the
 * caller may use the soul.
 */
type Reader = "owner" | { gate: string | null; passes: boolean };

/**
 * Number of snapshots per query. A response ends after {@link MAX_RESPONSE_CHARS} characters of
 * content (0006).
 */
const PAGE = 20;
const MAX_RESPONSE_CHARS = 16_000_000;

/**
 * Returns the SQL condition for snapshots whose content the reader may not see. Callers who pass
 * the current gate see snapshots that had this gate or none (0014).
 */
function isHiddenFrom(reader: Reader): RawBuilder<boolean> {
  if (reader === "owner") return sql.lit(false);
  if (!reader.passes) return sql.lit(true);
  return sql`(nft_contract is not null and nft_contract is distinct from ${reader.gate}::text)`;
}

async function readVersions(db: Db, soulId: number, reader: Reader) {
  const isHidden = isHiddenFrom(reader);
  const data = [];
  let chars = 0;
  let before = Number.MAX_SAFE_INTEGER;
  while (chars < MAX_RESPONSE_CHARS) {
    // Ids of snapshots are assigned under the soul's lock, so their order is the order of the
    // edits.
    let page = db
      .selectFrom("soul_versions")
      .select(["id", "soul_id", "title", "description", "role", "domain", "compatibility"])
      .select(["edited_at", isHidden.as("content_hidden")])
      .select(sql<string>`case when ${isHidden} then '' else content end`.as("content"))
      .where("soul_id", "=", soulId)
      .where("id", "<", before);
    if (reader !== "owner") page = page.where("is_public", "=", 1);
    const rows = await page.orderBy("id", "desc").limit(PAGE).execute();
    for (const row of rows) {
      chars += row.content.length;
      data.push(row);
    }
    before = rows.at(-1)?.id ?? 0;
    if (rows.length < PAGE) break;
  }
  return { count: data.length, data };
}

/**
 * Stores the current state as a snapshot and restores an earlier one. Visibility does not change
 * (decisions §7).
 * @throws HubError `soul_not_found`, `not_owner`, `version_not_found`
 */
export async function restoreVersion(
  ctx: AccountContext,
  { soul_id, version_id }: { soul_id: number; version_id: number },
) {
  await ctx.db.transaction().execute(async (tx) => {
    await lockOwnSoul(ctx, tx, soul_id);
    const version = await tx
      .selectFrom("soul_versions")
      .select(textColumns)
      .where("id", "=", version_id)
      .where("soul_id", "=", soul_id)
      .executeTakeFirst();
    if (!version) throw new HubError("version_not_found");
    const changed = { ...version, file_type: detectFileType(version.content) };
    await changeSoul(tx, { id: soul_id, changer: ctx.caller.account.id }, changed);
  });
  return { message: "The version is restored. The previous state is in the history." };
}
