import type { Db } from "../../db/database.ts";
import type { LogEnd } from "../../rooms/ports/room-log.ts";
import { readAfter, readNewest } from "../rows/chat-room.queries.ts";

/** Maximum number of messages in one response (decisions §5). */
const SYNC_MESSAGES = 200;

/** The messages and the revision that a client holds, and the page that it asks for. */
export interface SyncPosition {
  last_id?: number | undefined;
  before_id?: number | undefined;
  /** The revision up to which the client holds the changes of the room. */
  revision?: number | undefined;
}

/**
 * The place of a response in the log: its newest messages, or those after or before a message of the
 * client. `lost`: the client holds another log, because this one has not reached its message or
 * revision. The newest messages replace that log.
 */
type Place = "newest" | "after" | "before" | "lost";

function placeOf({ last_id, before_id, revision }: SyncPosition, end: LogEnd): Place {
  if ((last_id ?? 0) > end.head || (revision ?? 0) > end.revision) return "lost";
  if (before_id !== undefined) return "before";
  return last_id === undefined ? "newest" : "after";
}

/** Reads the messages of one response, oldest first. */
export function readPage(db: Db, key: string, position: SyncPosition, end: LogEnd) {
  const place = placeOf(position, end);
  if (place === "after") return pageAfter(db, key, position.last_id ?? 0, end.head);
  return pageOfNewest(db, key, place, { ...position, head: end.head });
}

/** Reads the newest messages, or the newest ones before `before_id`. */
async function pageOfNewest(
  db: Db,
  key: string,
  place: Place,
  { head, before_id }: { head: number; before_id?: number | undefined },
) {
  const rows = head === 0 ? [] : await readNewest(db, key, SYNC_MESSAGES + 1, before_id);
  const messages = rows.slice(-SYNC_MESSAGES);
  return { place, messages, has_more: rows.length > messages.length };
}

async function pageAfter(db: Db, key: string, last_id: number, head: number) {
  const rows = last_id === head ? [] : await readAfter(db, key, last_id, SYNC_MESSAGES + 1);
  // A client whose message is older than the room's first one holds a deleted log (0042).
  if (last_id > 0 && rows[0]?.prev_id === 0) return pageOfNewest(db, key, "lost", { head });
  const messages = rows.slice(0, SYNC_MESSAGES);
  return { place: "after" as const, messages, has_more: rows.length > messages.length };
}
