import { type RawBuilder, sql } from "kysely";
import type { Restriction } from "../../caller/restriction.schema.ts";
import type { Db } from "../../db/database.ts";

type RestrictionKind = "suspension" | "silence";

/** SQL: the restriction that is in effect by the database clock; null if none is. */
export const effectiveRestriction = (kind: RestrictionKind): RawBuilder<Restriction | null> => {
  const column = sql.ref(`accounts.${kind}`);
  return sql<Restriction | null>`case when coalesce((${column} ->> 'until')::timestamptz > hub_now(), true) then ${column} end`;
};

/**
 * Locks an account within a transaction, in the order of locks (0062). Others may hold a soul and
 * still insert rows that refer to the account.
 */
export const lockAccount = (tx: Db, accountId: number) =>
  tx.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();

/** Keeps an account as it is until the transaction ends, for a soul that it is about to add (0061). */
export const shareAccount = (tx: Db, accountId: number) =>
  tx.selectFrom("accounts").select("id").where("id", "=", accountId).forShare().execute();

/**
 * Sets or lifts a restriction (0057). A suspended account may do nothing but read why, a silenced one
 * may read but not write. After the transaction of a suspension, the caller ends the account's
 * subscriptions with `rooms.recheckAll`.
 */
export async function setRestriction(
  tx: Db,
  accountId: number,
  kind: RestrictionKind,
  restriction: Restriction | null,
): Promise<void> {
  const value = sql<Restriction | null>`${restriction && JSON.stringify(restriction)}::jsonb`;
  await tx
    .updateTable("accounts")
    .set({ [kind]: value })
    .where("id", "=", accountId)
    .execute();
}
