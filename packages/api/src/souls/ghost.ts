import type { Db } from "../db/database.ts";

/**
 * The owner of souls whose authors left them to the hub (0063), and of deleted souls (0076). It has
 * no password and no name to take.
 */
const GHOST = "ghost";

/** Returns the id of the account `ghost`, within a given transaction. */
export async function ghostId(tx: Db): Promise<number> {
  await tx
    .insertInto("accounts")
    .values({ username: GHOST, username_key: GHOST })
    .onConflict((known) => known.column("username_key").doNothing())
    .execute();
  const ghost = tx.selectFrom("accounts").select("id").where("username_key", "=", GHOST);
  return (await ghost.executeTakeFirstOrThrow()).id;
}
