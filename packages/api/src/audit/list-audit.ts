import { sql } from "kysely";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/database.ts";
import { HubError } from "../errors.ts";

interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  before_id?: number | undefined;
  limit: number;
}

/** SQL: the name of the account in a column such as `account:7`; null without such an account. */
const nameIn = (column: "actor" | "target") =>
  sql<string | null>`(select username from accounts
    where id = substring(${sql.ref(`audit_log.${column}`)} from '^account:(\\d+)$')::bigint)`;

/** An account without a name was deleted, and its rows say so. */
const shown = (stored: string, name: string | null): string =>
  name === null ? stored.replace(/^account:/, "deleted:") : stored;

/**
 * Lists the audit log, newest first: GET /api/admin/audit (0057).
 * @throws HubError `user_not_found` for an actor that no account has as its username
 */
export async function listAudit(
  { db }: CallContext,
  { actor, action, before_id, limit }: AuditFilter,
) {
  let query = db
    .selectFrom("audit_log")
    .selectAll()
    .select([nameIn("actor").as("actor_name"), nameIn("target").as("target_name")])
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (actor !== undefined) query = query.where("actor", "=", await storedActor(db, actor));
  if (action !== undefined) query = query.where("action", "=", action);
  if (before_id !== undefined) query = query.where("id", "<", before_id);
  const rows = await query.execute();
  const data = rows.slice(0, limit).map((row) => ({
    ...row,
    actor: shown(row.actor, row.actor_name),
    target: shown(row.target, row.target_name),
  }));
  const next = rows.length > limit ? data.at(-1)?.id : undefined;
  return { count: data.length, data, ...(next !== undefined && { next_cursor: next }) };
}

async function storedActor(db: Db, actor: string): Promise<string> {
  if (["operator", "hub"].includes(actor) || /^(account|deleted):/.test(actor)) {
    return actor.replace(/^deleted:/, "account:");
  }
  const { id } = await db
    .selectFrom("accounts")
    .select("id")
    .where("username_key", "=", actor.toLowerCase())
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
  return `account:${id}`;
}
