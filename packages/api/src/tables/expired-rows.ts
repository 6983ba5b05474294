import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The tables whose rows end at a time: the column of that time, and how long a row stays after it. */
const endings = {
  sessions: ["expires_at", "0"],
  account_links: ["expires_at", "0"],
  passkey_challenges: ["expires_at", "0"],
  invites: ["expires_at", "30 days"],
  // The owner of an expired key sees it until then.
  api_keys: ["expires_at", "30 days"],
  // A request checks its proof and may then wait for the chain. A sweep during the wait must not make
  // a used proof usable again.
  wallet_proofs: ["expires_at", "1 hour"],
  // Quota holds refer to the current or the previous day only. Seven whole days are kept.
  quota_days: ["day", "8 days"],
} as const;

type ExpiringTable = keyof typeof endings;
export const expiringTables = Object.keys(endings) as ExpiringTable[];

/** Deletes the rows of a table that have ended. The sweeper calls this periodically. */
export async function sweepExpired(db: Db, table: ExpiringTable): Promise<void> {
  const [column, kept] = endings[table];
  await sql`delete from ${sql.table(table)}
    where ${sql.ref(column)} < hub_now() - ${kept}::interval`.execute(db);
}
