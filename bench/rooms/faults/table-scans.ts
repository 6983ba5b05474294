import { setTimeout as sleep } from "node:timers/promises";
import { runStatement } from "../../runner/bench-database.ts";
import type { Stage } from "../../runner/stage.ts";

/** Milliseconds until an idle PostgreSQL backend has reported its statistics. */
const REPORT_DELAY_MS = 10_500;

export interface TableScans {
  [table: string]: number;
}

/**
 * Returns the number of scans of each table since its creation. Each query on a table starts a
 * scan.
 */
export async function tableScans(stage: Stage, databaseUrl: string): Promise<TableScans> {
  await sleep(stage.size(REPORT_DELAY_MS, 0));
  const rows = await runStatement<{ relname: string; scans: string }>(
    "select relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_user_tables",
    databaseUrl,
  );
  return Object.fromEntries(rows.map(({ relname, scans }) => [relname, Number(scans)]));
}

export const scansBetween = (before: TableScans, after: TableScans): TableScans =>
  Object.fromEntries(
    Object.entries(after)
      .map(([table, scans]) => [table, scans - (before[table] ?? 0)] as const)
      .filter(([, scans]) => scans > 0),
  );
