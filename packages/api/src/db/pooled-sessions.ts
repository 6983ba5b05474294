import { sql } from "kysely";
import type { Db } from "./database.ts";

type Settings = Readonly<Record<string, string | number>>;

/** A session of PostgreSQL as a client of the pooler sees it. */
interface SessionSetting {
  role: string;
  found: string;
  wanted: string;
}

/**
 * Time that a check holds its session. All checks run at once, so that the pooler cannot serve them
 * one after the other with one session.
 */
const HOLD_SECONDS = 0.05;

/**
 * Stores the hub's settings on a role in the database. A pooler passes on no startup parameters,
 * and a `set` would stay with whichever client comes next (0032). Settings that an operator stored
 * already need no rights of the hub.
 * @param direct a connection to PostgreSQL itself, whose role may alter `role`
 */
export async function storeSettings(direct: Db, role: string, settings: Settings): Promise<void> {
  const { rows } = await sql<{ database: string; stored: string[] | null }>`
    select current_database() as database, setconfig as stored
    from pg_roles
      left join pg_db_role_setting on setrole = pg_roles.oid
        and setdatabase = (select oid from pg_database where datname = current_database())
    where rolname = ${role}`.execute(direct);
  const [found] = rows;
  if (!found) return;
  // PostgreSQL stores `timezone` as `TimeZone`.
  const stored = new Set(found.stored?.map((setting) => setting.toLowerCase()));
  for (const [name, value] of Object.entries(settings)) {
    if (stored.has(`${name}=${value}`.toLowerCase())) continue;
    await sql`alter role ${sql.id(role)} in database ${sql.id(found.database)}
      set ${sql.id(name)} = ${sql.lit(String(value))}`.execute(direct);
  }
}

export interface PooledSessions {
  pooled: Db;
  settings: Settings;
  /** Number of connections to the pooler that are checked at once. */
  connections: number;
}

/**
 * Checks the settings of the pooler's sessions. Sessions from before the settings were stored lack
 * them until the pooler closes them.
 * @returns the role of a session that lacks a setting, null if there is none. A pooler may replace
 *   the role that it is asked for.
 */
export async function findLackingRole(options: PooledSessions): Promise<string | null> {
  const { pooled, settings, connections } = options;
  const reads = Array.from({ length: connections }, () => readSession(pooled, settings));
  const sessions = (await Promise.all(reads)).flat();
  return sessions.find(({ found, wanted }) => found !== wanted)?.role ?? null;
}

/**
 * Reads the settings of one session. `set_config` returns the wanted value as PostgreSQL writes it,
 * such as `30s` for 30000, and lasts only for this statement.
 */
async function readSession(pooled: Db, settings: Settings): Promise<SessionSetting[]> {
  const values = Object.values(settings).map(String);
  const { rows } = await sql<SessionSetting>`
    select session_user as role, current_setting(name) as found,
      set_config(name, wanted, true) as wanted
    from pg_sleep(${HOLD_SECONDS}),
      unnest(${Object.keys(settings)}::text[], ${values}::text[]) as settings (name, wanted)`.execute(
    pooled,
  );
  return rows;
}
