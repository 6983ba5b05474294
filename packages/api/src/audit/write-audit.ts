import { sql } from "kysely";
import type { Caller } from "../caller/caller.ts";
import type { Db } from "../db/database.ts";
import { type AuditFields, auditHash, NO_ROW } from "./audit-chain.ts";

/** The key of the audit lock, an advisory lock of PostgreSQL. It is equal in all servers. */
const AUDIT_LOCK = 4_711_057;

/** An action of the staff, the operator or the hub itself. */
export interface AuditEntry {
  /** `account:<id>` or `operator` ({@link actorOf}), or `hub` for actions of the hub itself. */
  actor: string;
  /** A verb and its object, such as `set-role`. */
  action: string;
  /** The kind and the id of the changed thing, such as `account:7`. Never a username. */
  target: string;
  /** Further facts for the operator, without names and texts: rows outlive their targets. */
  detail?: object;
}

/** The actor of a call by the staff or the operator. */
export const actorOf = (caller: Caller): string =>
  "account" in caller ? `account:${caller.account.id}` : "operator";

/**
 * Appends a row to the audit log, chained to the row before by its hash (0057). An action and its
 * row are one transaction. The row comes last in it: others wait for the lock until the commit.
 */
export async function writeAudit(db: Db, entry: AuditEntry): Promise<void> {
  if (!db.isTransaction) return db.transaction().execute((tx) => writeAudit(tx, entry));
  await sql`select pg_advisory_xact_lock(${AUDIT_LOCK}::bigint)`.execute(db);
  const { rows } = await sql<{ id: number; at: string; previous_hash: string | null }>`
    select coalesce(last.id, 0) + 1 as id, last.hash as previous_hash,
      to_char(hub_now() at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') as at
    from (values (1)) as one left join lateral (
      select id, hash from audit_log order by id desc limit 1) as last on true`.execute(db);
  const [{ id = 1, at = "", previous_hash = null } = {}] = rows;
  const previous = previous_hash ?? NO_ROW;
  const { actor, action, target, detail = {} } = entry;
  const row: AuditFields = { id, at, actor, action, target, detail: JSON.stringify(detail) };
  await db
    .insertInto("audit_log")
    .values({ ...row, previous_hash: previous, hash: auditHash(row, previous) })
    .execute();
}
