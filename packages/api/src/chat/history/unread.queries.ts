import { type RawBuilder, sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { titleOf } from "../rows/room-settings.queries.ts";
import { mayEnter } from "./my-rooms.queries.ts";

/** What the caller has not seen of a room, and the room as a list shows it (0042). */
interface UnreadState {
  title: string;
  /** Null if every message was removed. `content` has at most 200 characters. */
  last_message: { id: number; sender_name: string; content: string } | null;
  /** Counts of the messages of others since the caller's last look, up to 99. */
  unread: number;
  mentions: number;
}

interface UnreadRow {
  room_id: number;
  title: string | null;
  first_message: string | null;
  last_id: number | null;
  last_sender_name: string;
  last_content: string;
  unread: number;
  mentions: number;
}

/**
 * Reads the state of rooms for the caller, in one statement. A room that the caller may not enter
 * any more or has hidden is left out.
 */
export async function readUnread(
  { db, caller }: AccountContext,
  roomIds: readonly number[],
): Promise<ReadonlyMap<number, UnreadState>> {
  const me = participantId(caller);
  const { username } = caller.account;
  const unread = (from: RawBuilder<unknown>) =>
    sql`unread_messages(chat_rooms.id, ${me}, ${from}, ${`@${username.toLowerCase()}`},
      ${mentionOf(username)})`;
  const { rows } = await sql<UnreadRow>`
    select chat_rooms.id as room_id, chat_rooms.title, state.*,
      case when chat_rooms.title is null then first_open_message(chat_rooms.id) end as first_message
    from chat_rooms
    left join room_people as person
      on person.room_id = chat_rooms.id and person.participant = ${me}
    cross join lateral ${unread(sql`coalesce(person.seen_to, 0)`)} as state
    where chat_rooms.id = any(${roomIds}::bigint[]) and ${mayEnter(me)}
      and ${isListed(me, unread)}`.execute(db);
  return new Map(rows.map((row) => [row.room_id, toState(row)]));
}

/**
 * True for a room that the caller has not hidden, or in which the caller was mentioned or has written
 * since (0042). `counted` counts the mentions after a message.
 */
const isListed = (me: string, counted: (from: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  sql`case when person.hidden_to is null or person.is_member then true else
    exists (select from chat_messages as own where own.room_id = chat_rooms.id
      and own.sender = ${me} and own.id > person.hidden_to)
    or (select mentions > 0 from ${counted(sql`person.hidden_to`)} as since) end`;

const toState = (row: UnreadRow): UnreadState => ({
  title: titleOf(row),
  last_message:
    row.last_id === null
      ? null
      : { id: row.last_id, sender_name: row.last_sender_name, content: row.last_content },
  unread: row.unread,
  mentions: row.mentions,
});

const LATIN = "a-z0-9\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0300-\\u036f\\u1e00-\\u1eff";

/**
 * Returns a pattern of PostgreSQL that finds `@username`. A username consists of Latin letters,
 * digits, "_" and "-", and ends with a letter or a digit. Another script may adjoin it (0041).
 */
export const mentionOf = (username: string): string =>
  `(?<![@${LATIN}])@${username}(?![_-]*[${LATIN}])`;
