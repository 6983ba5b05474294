import { alignedTable, type Column } from "../aligned-table.ts";
import type { Hub } from "../ask-hub.ts";
import { CommandFailure, REFUSED } from "../command-failure.ts";
import type { HubCommand } from "../report.ts";

interface AuditOptions {
  actor?: string | undefined;
  action?: string | undefined;
  before?: number | undefined;
  verify?: boolean | undefined;
}

type Row = Awaited<ReturnType<Hub["audit"]["list"]["query"]>>["data"][number];

const PAGE = 500;
const columns: Column[] = [
  { title: "id", align: "right" },
  { title: "at (UTC)" },
  { title: "actor" },
  { title: "action" },
  { title: "target" },
  { title: "detail" },
];

/** Lists the audit log, or verifies the whole of it. */
export function showAudit({ actor, action, before, verify }: AuditOptions): HubCommand {
  if (verify && (actor ?? action ?? before) !== undefined) {
    throw new CommandFailure("bad_arguments", "--verify reads the whole log: leave out the rest.");
  }
  if (verify) return verifyAudit;
  return async (hub) => {
    const answer = await hub.audit.list.query({ actor, action, before_id: before });
    const rows = answer.data.map((row) => [
      String(row.id),
      row.at,
      row.actor_name ?? row.actor,
      row.action,
      row.target_name ?? row.target,
      row.detail === "{}" ? "" : row.detail,
    ]);
    return { json: answer, text: rows.length > 0 ? alignedTable(columns, rows) : "No rows." };
  };
}

/**
 * Computes the hash of each row again, from the newest row to the first. The exit code is 1 if a row
 * was changed, added or removed. The hub itself is not trusted with the comparison.
 */
const verifyAudit: HubCommand = async (hub) => {
  const { auditHash, NO_ROW } = await import("@soul-hub/api/operator");
  let newest: Row | undefined;
  let expected: { id: number; hash: string } | undefined;
  for await (const row of allRows(hub)) {
    newest ??= row;
    const isNext = !expected || (row.id === expected.id && row.hash === expected.hash);
    if (!isNext || auditHash(row, row.previous_hash) !== row.hash) return broken(row.id);
    expected = { id: row.id - 1, hash: row.previous_hash };
  }
  if (expected && (expected.id !== 0 || expected.hash !== NO_ROW)) return broken(expected.id);
  const rows = newest?.id ?? 0;
  const head = newest?.hash ?? NO_ROW;
  return {
    json: { verified: true, rows, head },
    text: `The audit log is whole: ${rows} ${rows === 1 ? "row" : "rows"}.\nhead  ${head}\nKeep the head elsewhere: a later log without it has lost rows.`,
  };
};

const broken = (id: number) => ({
  json: { verified: false, id },
  text: `The audit log was changed at row ${id}.`,
  exitCode: REFUSED,
});

async function* allRows(hub: Hub): AsyncGenerator<Row> {
  let before: number | undefined;
  do {
    const page = await hub.audit.list.query({ before_id: before, limit: PAGE });
    yield* page.data;
    before = page.next_cursor;
  } while (before !== undefined);
}
