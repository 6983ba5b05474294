import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { categorySlugs } from "./categories.ts";
import { changeSoul, type SoulChanges, type SoulFields } from "./change-soul.ts";
import { moveDomainTag } from "./domain-tags.ts";
import { readableSoul } from "./soul-access.ts";
import { detectFileType } from "./soul-content.ts";
import { assertOwn, lockOwnSoul } from "./soul-lock.ts";

const knownRole = (role: string) => (categorySlugs.has(role) ? role : "Other");
export const soulUrl = (ctx: CallContext, id: number) => `${ctx.hub.config.baseUrl}/soul/${id}`;

/** @throws HubError `soul_not_found`, `chain_unavailable` */
export async function readSoul(ctx: CallContext, id: number) {
  return { data: await readableSoul(ctx, id) };
}

/** @throws HubError `invalid_input` */
export async function publishSoul(ctx: AccountContext, fields: SoulFields) {
  const id = await insertSoul(ctx.db, ctx.caller.account.id, fields);
  const done = fields.is_public === 1 ? "is published" : "is saved, for you alone";
  return { message: `“${fields.title}” ${done}.`, id, url: soulUrl(ctx, id) };
}

/** A new soul and its tag's count, together. */
export const insertSoul = (db: Db, userId: number, fields: SoulFields): Promise<number> =>
  db.transaction().execute((tx) => addSoul(tx, userId, fields));

/** The same within a transaction. */
export async function addSoul(
  tx: Db,
  userId: number,
  fields: SoulFields & { forked_from?: number },
): Promise<number> {
  const { id } = await tx
    .insertInto("souls")
    .values({
      ...fields,
      user_id: userId,
      role: knownRole(fields.role),
      file_type: detectFileType(fields.content),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await moveDomainTag(tx, "", fields.domain);
  return id;
}

/**
 * Changes any subset of the fields and keeps what was there as one snapshot (specification §3).
 * @throws HubError `soul_not_found`, `not_owner`
 */
export async function updateSoul(ctx: AccountContext, id: number, changes: SoulChanges) {
  const update = {
    ...changes,
    ...(changes.role === undefined ? {} : { role: knownRole(changes.role) }),
    ...(changes.content === undefined ? {} : { file_type: detectFileType(changes.content) }),
  };
  const before = assertOwn(
    ctx,
    await changeSoul(ctx.db, { id, changer: ctx.caller.account.id }, update),
  );
  const isGated = changes.nft_contract && changes.nft_contract !== before.nft_contract;
  if (changes.is_public === 0 || isGated) ctx.hub.rooms.recheckAll({ roomPrefix: `${id}/` });
  return { message: "The soul is saved. The state before is in its history." };
}

/** @throws HubError `soul_not_found`, `not_owner` */
export async function deleteSoul(ctx: AccountContext, id: number) {
  await ctx.db.transaction().execute(async (tx) => {
    const { domain } = await lockOwnSoul(ctx, tx, id);
    await tx.deleteFrom("souls").where("id", "=", id).execute();
    await moveDomainTag(tx, domain, "");
  });
  ctx.hub.rooms.recheckAll({ roomPrefix: `${id}/` });
  return { message: "The soul is deleted." };
}
