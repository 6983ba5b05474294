import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** PostgreSQL's own connections tell what they have read when they have been idle for so long. */
const TOLD_AFTER_MS = 10_500;

export interface TableScans {
  [table: string]: number;
}

/** How often each table has been read so far: every query that touches one begins a scan of it. */
export async function tableScans(databaseUrl: string): Promise<TableScans> {
  await sleep(TOLD_AFTER_MS);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ relname: string; scans: string }>(
    "select relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_user_tables",
  );
  await client.end();
  return Object.fromEntries(rows.map(({ relname, scans }) => [relname, Number(scans)]));
}

export const scansBetween = (before: TableScans, after: TableScans): TableScans =>
  Object.fromEntries(
    Object.entries(after)
      .map(([table, scans]) => [table, scans - (before[table] ?? 0)] as const)
      .filter(([, scans]) => scans > 0),
  );
