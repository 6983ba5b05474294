import { sql } from "kysely";
import type { Db } from "../db/database.ts";

const ROWS_PER_SWEEP = 1_000;

/**
 * Deletes the oldest rows of the audit log, up to the first that is recent (0057). The remaining rows
 * are a chain without gaps. The newest row stays at any age, since the next one continues it.
 * @param days the days that make a row recent; 0 deletes nothing
 */
export async function sweepAudit(db: Db, days: number): Promise<void> {
  if (days === 0) return;
  await sql`
    delete from audit_log
    where id in (select id from audit_log order by id limit ${ROWS_PER_SWEEP}::int)
      and id < coalesce(
        (select id from audit_log where at >= hub_now() - make_interval(days => ${days}::int)
          order by id limit 1),
        (select max(id) from audit_log))`.execute(db);
}
