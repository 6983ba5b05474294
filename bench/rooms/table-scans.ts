import { setTimeout as sleep } from "node:timers/promises";
import { runStatement } from "../runner/bench-database.ts";
import type { Stage } from "../runner/stage.ts";

/** Milliseconds until an idle PostgreSQL backend has reported its statistics. */
const REPORT_DELAY_MS = 10_500;

/** Returns the number of scans of these tables since their creation. Each query starts a scan. */
export async function countScans(
  stage: Stage,
  databaseUrl: string,
  tables: readonly string[],
): Promise<number> {
  await sleep(stage.size(REPORT_DELAY_MS, 0));
  const [row] = await runStatement<{ scans: string }>(
    `select sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)) as scans
      from pg_stat_user_tables where relname in ('${tables.join("', '")}')`,
    databaseUrl,
  );
  return Number(row?.scans);
}
