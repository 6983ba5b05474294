import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** Removes the rows of deleted souls whose last room is gone (0076). */
export async function sweepDeletedSouls(db: Db): Promise<void> {
  await sql`delete from souls where deleted_at is not null
    and not exists (select from chat_rooms where soul_id = souls.id)`.execute(db);
}
