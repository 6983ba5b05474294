import type { CallContext } from "../../context.ts";
import type { PollAnswer } from "../../rooms/polling/poll-room.ts";
import { readChanged, readChanges } from "../rows/room-settings.queries.ts";

/** Maximum number of changed messages in one response (decisions §5, chat-sync). */
const MAX_CHANGES = 200;

interface RevisionQuestion {
  /** The revision up to which the client holds the changes of the room, if it sent one. */
  since: number | undefined;
  /** The room's revision. */
  revision: number;
  /** The room as this server has it in memory. */
  polled: Pick<PollAnswer, "revision" | "room">;
}

/**
 * Reads the room's settings and the changes after the client's revision, if it sent one. With no
 * change, the settings come from memory where possible.
 */
export async function readRevision(
  { db }: CallContext,
  key: string,
  { since, revision, polled }: RevisionQuestion,
) {
  if (since === undefined) return { revision };
  if (since >= revision) {
    const isInMemory = polled.revision === revision && polled.room !== undefined;
    const room = isInMemory ? polled.room : (await readChanged(db, key)).room;
    return { revision, room, changes: [], changes_more: false };
  }
  const read = await readChanges(db, key, since, MAX_CHANGES + 1);
  const changes = read.messages.slice(0, MAX_CHANGES);
  const changes_more = changes.length < read.messages.length;
  // A client that continues from the returned revision misses no change.
  const upTo = changes_more ? (changes.at(-1)?.revision ?? since) : read.revision;
  return { revision: upTo, room: read.room, changes, changes_more };
}
