import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ARCHIVE_NAME } from "../archive/postgres-copy.ts";

/** The time limits of a move in milliseconds (0033). */
export interface MoveLimits {
  connectMs: number;
  /** A move ends if it makes no progress for so long. */
  silenceMs: number;
  /** A move ends if the backup that runs takes longer. */
  backupMs: number;
}

const LOOK_MS = 500;

/**
 * Reads the activity of this process's connections to a database. A statement that waits neither for
 * its client nor for a lock is progress, however long it takes. Building an index sends nothing.
 */
const PROGRESS = `
  select string_agg(concat_ws(' ', pid, state, query_start, bytes_processed,
    case when state = 'active' and coalesce(wait_event_type, '') not in ('Client', 'Lock')
      then clock_timestamp() end), ';' order by pid) as seen
  from pg_stat_activity left join pg_stat_progress_copy using (pid)
  where pg_stat_activity.datname = current_database() and backend_type = 'client backend'
    and application_name = current_setting('application_name') and pid <> pg_backend_pid()`;

/** pg gives these errors no code. */
const timedOut = ({ message }: Error) =>
  message === "timeout expired" || message === "Query read timeout";

/**
 * Connects to the target of a move, and watches it from then on.
 * @returns an object whose `stalled` rejects if the move makes no progress; it never resolves
 * @throws Error if PostgreSQL doesn't answer in time
 */
export async function watchTarget(
  connectionString: string,
  { connectMs, silenceMs }: MoveLimits,
): Promise<{ stalled: Promise<never> }> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: connectMs,
    query_timeout: silenceMs,
    application_name: ARCHIVE_NAME,
  });
  client.on("error", () => undefined);
  await client.connect().catch((error: Error) => {
    throw timedOut(error)
      ? new Error(`PostgreSQL has not answered for ${connectMs / 1_000} s.`)
      : error;
  });
  const stalled = new Error(`The move has made no progress for ${silenceMs / 1_000} s.`);
  async function watch(): Promise<never> {
    let before: string | null = null;
    for (let changedAt = performance.now(); ; await sleep(LOOK_MS)) {
      const { rows } = await client
        .query<{ seen: string | null }>(PROGRESS)
        .catch((error: Error) => {
          throw timedOut(error) ? stalled : error;
        });
      const { seen = null } = rows[0] ?? {};
      if (seen !== before) changedAt = performance.now();
      before = seen;
      if (performance.now() - changedAt > silenceMs) throw stalled;
    }
  }
  return { stalled: watch() };
}
