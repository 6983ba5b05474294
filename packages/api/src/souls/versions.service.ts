import { type RawBuilder, sql } from "kysely";
import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { utcText } from "../db/utc-text.ts";
import { HubError } from "../errors.ts";
import { changeSoul, textColumns } from "./change-soul.ts";
import { isOwner, mayUse, visibleSoul } from "./soul-access.ts";
import { detectFileType } from "./soul-content.ts";
import { lockOwnSoul } from "./soul-lock.ts";

/**
 * The snapshots of a soul that the caller may see, newest first. What was written while the soul
 * was private stays its owner's, also after it was published (decisions §7). Behind an NFT gate the
 * texts are hidden, and so is what was written behind another one (docs/decisions/0014).
 * @throws HubError `soul_not_found`, `chain_unavailable`
 */
export async function listVersions(ctx: CallContext, soulId: number) {
  const soul = await visibleSoul(ctx, soulId);
  const reader: Reader = isOwner(ctx, soul)
    ? "owner"
    : { gate: soul.nft_contract, passes: await mayUse(ctx, soul) };
  // Two who may read the same and ask in the same turn share one answer: it may be large.
  const question = `versions ${soulId} ${JSON.stringify(reader)}`;
  return ctx.hub.souls.list(question, () => readVersions(ctx.db, soulId, reader));
}

/** The owner, or somebody who does or does not pass the gate that the soul has now. */
type Reader = "owner" | { gate: string | null; passes: boolean };

/** Snapshots read at once, and characters of them in one answer (docs/decisions/0006). */
const PAGE = 20;
const MAX_ANSWER_CHARS = 16_000_000;

/** A snapshot's text is for who passes the soul's gate, and only if it was the same one then, or none. */
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
  while (chars < MAX_ANSWER_CHARS) {
    // Ids are taken under the soul's lock: their order is that of the edits.
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
      data.push({ ...row, edited_at: utcText(row.edited_at) });
    }
    before = rows.at(-1)?.id ?? 0;
    if (rows.length < PAGE) break;
  }
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
  return { message: "The version is restored. The state before is in the history." };
}
