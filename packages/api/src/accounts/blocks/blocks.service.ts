import { type AccountContext, participantId } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import { lockAccount } from "../standing/standing.queries.ts";

/** Blocked accounts of one account (0064). */
const MAX_BLOCKS = 1_000;

/**
 * Refuses a caller that an account has blocked (0064).
 * @param blockerId the owner of the soul that the caller wants to fork
 * @throws HubError `blocked`
 */
export async function assertNotBlocked(
  db: Db,
  blockerId: number,
  { caller }: AccountContext,
): Promise<void> {
  const block = await db
    .selectFrom("blocks")
    .select("blocked_id")
    .where("blocker_id", "=", blockerId)
    .where("blocked_id", "=", caller.account.id)
    .executeTakeFirst();
  if (block) throw new HubError("blocked");
}

/** Lists the accounts that the caller has blocked, the latest first: GET /api/blocks (0064). */
export async function listBlocks({ db, caller }: AccountContext) {
  const data = await db
    .selectFrom("blocks")
    .innerJoin("accounts", "accounts.id", "blocks.blocked_id")
    .select(["accounts.username", "blocks.created_at"])
    .where("blocker_id", "=", caller.account.id)
    .orderBy("blocks.created_at", "desc")
    .orderBy("blocked_id", "desc")
    .execute();
  return { count: data.length, data };
}

/**
 * Blocks an account: PUT /api/blocks (0064). Its subscriptions to the caller's rooms end at once.
 * @throws HubError `user_not_found`, `limit_reached`; `invalid_input` for the caller itself
 */
export async function blockAccount(ctx: AccountContext, username: string) {
  const { db, caller, hub } = ctx;
  const blocked = await findAccount(db, username);
  if (blocked.id === caller.account.id) throw invalidField("username", "names yourself");
  await db.transaction().execute(async (tx) => {
    const blocker_id = caller.account.id;
    // The lock lets one call at a time count the blocks of an account.
    await lockAccount(tx, blocker_id);
    const { others } = await tx
      .selectFrom("blocks")
      .select(({ fn }) => fn.countAll<number>().as("others"))
      .where("blocker_id", "=", blocker_id)
      .where("blocked_id", "<>", blocked.id)
      .executeTakeFirstOrThrow();
    if (others >= MAX_BLOCKS) {
      throw new HubError("limit_reached", { message: `You can block ${MAX_BLOCKS} people.` });
    }
    await tx
      .insertInto("blocks")
      .values({ blocker_id, blocked_id: blocked.id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  hub.rooms.recheckAll({
    participantId: `account:${blocked.id}`,
    ownerId: participantId(caller),
  });
  return { message: `${blocked.username} is blocked.` };
}

/**
 * Ends a block: DELETE /api/blocks (0064). An account without a block stays as it is.
 * @throws HubError `user_not_found`
 */
export async function unblockAccount({ db, caller, hub }: AccountContext, username: string) {
  const blocked = await findAccount(db, username);
  await db
    .deleteFrom("blocks")
    .where("blocker_id", "=", caller.account.id)
    .where("blocked_id", "=", blocked.id)
    .execute();
  // Other servers may hold the block in their memory of open rooms.
  hub.rooms.recheckAll({
    participantId: `account:${blocked.id}`,
    ownerId: participantId(caller),
  });
  return { message: `${blocked.username} is not blocked.` };
}

/** The hub's own accounts, which have no password, cannot be blocked: they do nothing. */
async function findAccount(db: Db, username: string) {
  return db
    .selectFrom("accounts")
    .select(["id", "username"])
    .where("username_key", "=", username.toLowerCase())
    .where("password_hash", "is not", null)
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
}
