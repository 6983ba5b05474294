import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";

/**
 * Reserves the addresses of rooms for their owners, before the rooms are deleted (0042). The new rows
 * lock their souls in the order of their ids, as holds do. A deletion of a soul locks the soul before
 * its rooms. Therefore no lock on these rooms may precede this call. While a room exists, its reservation has no effect.
 * @param condition on rows of `chat_rooms`
 */
export const reserveRooms = (db: Db, condition: ReturnType<typeof sql<SqlBool>>) =>
  sql`insert into reserved_rooms (soul_id, token_hash, owner)
    select soul_id, token_hash, owner from chat_rooms where ${condition} order by soul_id, token_hash
    on conflict do nothing`.execute(db);
