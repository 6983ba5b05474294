import { alignedRows } from "@soul-hub/program";
import type { HubCommand } from "../report.ts";

/** Lists the invites that have not expired. */
export const listInvites: HubCommand = async (hub) => {
  const answer = await hub.invites.list.query();
  const rows = answer.data.map(({ id, used, uses, expires_at, note }) => [
    id,
    used,
    uses,
    expires_at,
    note,
  ]);
  const lines = alignedRows(["id", "used", "of", "until", "note"], rows);
  return { json: answer, lines: rows.length > 0 ? lines : ["No invites."] };
};
