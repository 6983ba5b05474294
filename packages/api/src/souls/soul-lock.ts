import type { CallContext } from "../context.ts";
import type { Db } from "../db/database.ts";
import { HubError } from "../errors.ts";
import { assertVisible, isOwner } from "./soul-access.ts";

/**
 * Locks the row of a soul, so that changes of one soul run one after another (decisions §7). Each
 * snapshot is then a state that existed, and each counter agrees with the rows that it counts. To
 * prevent deadlocks, a transaction locks only one soul. The order is: the account, the soul, its
 * packages and their files, the domain tag.
 * @throws HubError `soul_not_found`, also if the soul was deleted or hidden before the lock was
 *   free
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

/**
 * Locks the row of the caller's own soul.
 * @throws HubError `soul_not_found` (also for another account's private soul), `not_owner`
 */
export async function lockOwnSoul(ctx: CallContext, tx: Db, id: number) {
  return assertOwn(ctx, await lockVisibleSoul(ctx, tx, id));
}

/**
 * Returns the soul if the caller owns it.
 * @throws HubError `soul_not_found` (also for another account's private soul), `not_owner`
 */
export function assertOwn<Row extends { user_id: number; is_public: number }>(
  ctx: CallContext,
  soul: Row | undefined,
): Row {
  const visible = assertVisible(ctx, soul);
  if (!isOwner(ctx, visible)) throw new HubError("not_owner");
  return visible;
}
