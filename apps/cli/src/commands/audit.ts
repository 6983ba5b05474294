import { alignedRows, Failure, REFUSED } from "@soul-hub/program";
import type { Hub } from "../ask-hub.ts";
import type { HubCommand } from "../report.ts";

interface AuditOptions {
  actor?: string | undefined;
  action?: string | undefined;
  before?: number | undefined;
  verify?: boolean | undefined;
}

type Row = Awaited<ReturnType<Hub["audit"]["list"]["query"]>>["data"][number];

const PAGE = 500;
const titles = ["id", "at (UTC)", "actor", "action", "target", "detail"];

/** Lists the audit log, or verifies the whole of it. */
export function showAudit({ actor, action, before, verify }: AuditOptions): HubCommand {
  if (verify && (actor ?? action ?? before) !== undefined) {
    throw new Failure("bad_arguments", "--verify reads the whole log: leave out the rest.");
  }
  if (verify) return verifyAudit;
  return async (hub) => {
    const answer = await hub.audit.list.query({ actor, action, before_id: before });
    const rows = answer.data.map((row) => [
      row.id,
      row.at,
      row.actor_name ?? row.actor,
      row.action,
      row.target_name ?? row.target,
      row.detail === "{}" ? "" : row.detail,
    ]);
    return { json: answer, lines: rows.length > 0 ? alignedRows(titles, rows) : ["No rows."] };
  };
}

/**
 * Computes the hash of each row again, from the newest row to the oldest that RETAIN_AUDIT has kept.
 * The exit code is 1 if a row was changed, added or removed. The hub itself is not trusted with the
 * comparison.
 */
const verifyAudit: HubCommand = async (hub) => {
  const { auditHash, NO_ROW } = await import("@soul-hub/api/operator");
  let newest: Row | undefined;
  let oldest: Row | undefined;
  for await (const row of allRows(hub)) {
    newest ??= row;
    const isNext = !oldest || (row.id === oldest.id - 1 && row.hash === oldest.previous_hash);
    if (!isNext || auditHash(row, row.previous_hash) !== row.hash) return broken(row.id);
    oldest = row;
  }
  const anchor = oldest?.previous_hash ?? NO_ROW;
  const first = oldest?.id ?? 1;
  if ((first === 1) !== (anchor === NO_ROW)) return broken(first);
  const rows = newest ? newest.id - first + 1 : 0;
  const head = newest?.hash ?? NO_ROW;
  return {
    json: { verified: true, rows, head, first, anchor },
    lines: [
      `The audit log is whole: ${rows} ${rows === 1 ? "row" : "rows"}.`,
      `head  ${head}`,
      ...(first === 1 ? [] : anchorLines(anchor, first)),
      "Keep the head elsewhere: a later log without it has lost rows.",
    ],
  };
};

const anchorLines = (anchor: string, first: number) => [
  `anchor  ${anchor}`,
  `It begins at row ${first}. Older rows were deleted after RETAIN_AUDIT, and the anchor is the hash of the last of them.`,
];

const broken = (id: number) => ({
  json: { verified: false, id },
  lines: [`The audit log was changed at row ${id}.`],
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
