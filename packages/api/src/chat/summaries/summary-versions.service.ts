import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import { ownReadableRoom, ownRoom } from "../access/own-room.ts";
import { pathEnd } from "../prompt/room-memory.queries.ts";
import type { RoomName } from "../rows/room-key.ts";

interface SummaryVersion {
  version: number;
  text: string;
  covers_to: number;
  made_by: "fold" | "person" | "rollback";
  name: string | null;
  created_at: string;
  is_current: boolean;
}

/**
 * Reads the versions of the summary of the caller's room, newest first (0038). Those of abandoned
 * branches are left out.
 * @throws HubError as ownRoom
 */
export async function readSummaries(ctx: AccountContext, name: RoomName) {
  const { id } = (await ownReadableRoom(ctx, name)).record;
  const { rows } = await sql<SummaryVersion>`
    select kept.version, kept.text, kept.covers_to, kept.made_by, kept.name, kept.created_at,
      kept.is_current
    from chat_rooms, path_summaries(chat_rooms.id, ${pathEnd}) as kept
    where chat_rooms.id = ${id} order by kept.version desc`.execute(ctx.db);
  const history = rows.map(({ is_current: _, name: maker, ...version }) => ({
    ...version,
    ...(maker !== null && { name: maker }),
  }));
  const at = rows.findIndex(({ is_current }) => is_current);
  return { current: history[at] ?? null, history };
}

interface Rollback extends RoomName {
  /** The version to restore, one of the room's path. */
  version: number;
  /** The version that the caller takes for the current one. If omitted, any is replaced. */
  expected?: number | undefined;
}

/**
 * Makes a former summary of the caller's room current again, with the message that it covers to.
 * Later messages are summarised again (0038).
 * @returns a message and the number of the new version
 * @throws HubError those of ownRoom; `version_not_found`; `summary_changed` if `expected` is not
 *   current
 */
export async function restoreSummary(
  ctx: AccountContext,
  { version, expected, ...name }: Rollback,
) {
  const { id } = (await ownRoom(ctx, name)).record;
  const restored = await callForRow<Restored>(ctx.db, "restore_summary", {
    of_room: id,
    of_version: version,
    expected,
    restorer: ctx.caller.account.username,
  });
  if (restored.failure === "version_not_found") {
    throw new HubError("version_not_found", {
      message: "The summary of this conversation has no such version.",
    });
  }
  if (restored.failure) throw new HubError("summary_changed");
  return { message: `The memory is back at version ${version}.`, version: restored.version };
}

type Restored =
  | { failure: null; version: number }
  | { failure: "version_not_found" | "summary_changed"; version: null };
