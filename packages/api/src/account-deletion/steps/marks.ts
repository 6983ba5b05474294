import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { type DeletionStep, DONE } from "../due-account.ts";

/** Souls of one transaction. */
const SOULS = 100;

/** Withdraws the account's next likes and ratings, and counts them out of the souls. */
export const withdrawMarks: DeletionStep = async (tx, { id }) => {
  const { rows } = await sql<{ soul_id: number }>`
    select soul_id from likes where user_id = ${id}
    union select soul_id from ratings where user_id = ${id}
    order by soul_id limit ${SOULS}`.execute(tx);
  if (rows.length === 0) return DONE;
  const soulIds = rows.map(({ soul_id }) => soul_id);
  await lockSouls(tx, soulIds);
  const mine = sql`user_id = ${id} and soul_id = any(${soulIds}::bigint[])`;
  await sql`
    with withdrawn as (delete from likes where ${mine} returning soul_id)
    update souls set like_count = like_count - 1 from withdrawn
      where souls.id = withdrawn.soul_id`.execute(tx);
  await sql`
    with withdrawn as (delete from ratings where ${mine} returning soul_id, rating)
    update souls set rating_sum = rating_sum - withdrawn.rating, rating_count = rating_count - 1
      from withdrawn where souls.id = withdrawn.soul_id`.execute(tx);
  return { hasMore: true };
};

/** Several souls are locked in the order of their ids, as by `hold_souls`. */
const lockSouls = (tx: Db, ids: readonly number[]) =>
  sql`select from souls where id = any(${ids}::bigint[]) order by id for update`.execute(tx);
