import type { Db } from "../../db/database.ts";
import type { LogEnd } from "../../rooms/ports/room-log.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
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
export type Place = "newest" | "after" | "before" | "lost";

interface SyncPage {
  place: Place;
  messages: RoomMessage[];
  has_more: boolean;
}

function placeOf({ last_id, before_id, revision }: SyncPosition, end: LogEnd): Place {
  if ((last_id ?? 0) > end.head || (revision ?? 0) > end.revision) return "lost";
  if (before_id !== undefined) return "before";
  return last_id === undefined ? "newest" : "after";
}

/** Reads the messages of one response, oldest first. */
export function readPage(
  db: Db,
  key: string,
  position: SyncPosition,
  end: LogEnd,
): Promise<SyncPage> {
  const place = placeOf(position, end);
  if (place === "after") return pageAfter(db, key, position, end);
  return pageOfNewest(db, key, place, { ...position, head: end.head });
}

/** Reads the newest messages, or the newest ones before `before_id`. */
async function pageOfNewest(
  db: Db,
  key: string,
  place: Place,
  { before_id, head }: { before_id?: number | undefined; head: number },
): Promise<SyncPage> {
  const rows = head === 0 ? [] : await readNewest(db, key, SYNC_MESSAGES + 1, before_id);
  const messages = rows.slice(-SYNC_MESSAGES);
  return { place, messages, has_more: rows.length > messages.length };
}

async function pageAfter(
  db: Db,
  key: string,
  { last_id = 0 }: SyncPosition,
  { head }: LogEnd,
): Promise<SyncPage> {
  const rows = last_id === head ? [] : await readAfter(db, key, last_id, SYNC_MESSAGES + 1);
  // A client whose message is older than the room's first one holds a deleted log (0042).
  if (last_id > 0 && rows[0]?.prev_id === 0) return pageOfNewest(db, key, "lost", { head });
  const messages = rows.slice(0, SYNC_MESSAGES);
  return { place: "after", messages, has_more: rows.length > messages.length };
}
