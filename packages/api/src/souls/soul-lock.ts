import type { CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import { assertVisible, isOwner } from "./soul-access.ts";

/**
 * Locks the row of a soul that the caller may see: whatever changes one soul stands in line here,
 * so that each snapshot is a state that was and each counter equals its rows (decisions §7). Always
 * the first lock of a transaction and the only one on a soul: nobody can wait in a circle.
 * @throws HubError `soul_not_found`, also when it was deleted or hidden while this call waited
 */
export async function lockVisibleSoul(ctx: CallContext, tx: Db, id: number) {
  const soul = await tx
    .selectFrom("souls")
    .select(["id", "user_id", "title", "domain", "is_public", "nft_contract"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return assertVisible(ctx, soul);
}

/** @throws HubError `soul_not_found` (also for somebody else's private one), `not_owner` */
export async function lockOwnSoul(ctx: CallContext, tx: Db, id: number) {
  return assertOwn(ctx, await lockVisibleSoul(ctx, tx, id));
}

/** @throws HubError `soul_not_found` (also for somebody else's private one), `not_owner` */
export function assertOwn<Row extends { user_id: number; is_public: number }>(
  ctx: CallContext,
  soul: Row | undefined,
): Row {
  const visible = assertVisible(ctx, soul);
  if (!isOwner(ctx, visible)) throw new HubError("not_owner");
  return visible;
}
