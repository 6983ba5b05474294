import { type RawBuilder, sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { type MyRoom, mayEnter, readMyRooms } from "../history/my-rooms.queries.ts";
import { titleOf } from "../rows/room-settings.queries.ts";
import { excerptOf } from "./excerpt.ts";

/** One search reads at most this many messages, and this many bytes of text (0042). */
const MAX_MESSAGES = 20_000;
const MAX_BYTES = 16 * 2 ** 20;
/** The time for which a search waits for other ones. */
const MAX_WAIT_MS = 5_000;

interface FoundRow {
  id: number;
  room_id: number;
  sender_name: string;
  content: string;
  title: string | null;
  first_message: string | null;
  is_cut: boolean;
}

/**
 * Finds the newest messages that contain a text, in the rooms of my-chats: GET /api/chat-search
 * (0042).
 * @returns `is_complete` is false if there may be further messages with this text
 * @throws HubError `overloaded` if too many searches are running
 */
export async function searchChats(ctx: AccountContext, { q, limit }: { q: string; limit: number }) {
  const { rooms, unchecked, hasMore } = await readMyRooms(ctx);
  const byId = new Map(rooms.map((room) => [room.id, room]));
  const find = () => findMessages(ctx, rooms, q, limit + 1);
  const rows = rooms.length === 0 ? [] : await ctx.hub.searching.run(find, MAX_WAIT_MS);
  const found = rows.filter(({ is_cut }) => !is_cut);
  const results = found.slice(0, limit).flatMap(({ id, sender_name, content, ...row }) => {
    const room = byId.get(row.room_id);
    if (!room) return [];
    const { soul_id, session_token } = room;
    const excerpt = excerptOf(content, q);
    return { soul_id, session_token, title: titleOf(row), id, sender_name, excerpt };
  });
  const isWhole = found.length === rows.length && found.length <= limit;
  return { results, is_complete: isWhole && unchecked === 0 && !hasMore };
}

/**
 * As `hub_normalize` (0010), whose result columns of souls store, but full-width letters, ligatures
 * and the like become their plain forms.
 */
const plain = (text: RawBuilder<string>) =>
  sql`translate(lower(normalize(${text}, nfkc)), ${"ς\u0307"}::text, ${"σ"}::text)`;

/** Normalization costs most of the time. ASCII text has one form. */
const normalized = sql`case when octet_length(line.content) = char_length(line.content)
  then lower(line.content) else ${plain(sql`line.content`)} end`;

/**
 * Reads the messages of the rooms from the newest to the oldest. The indexes of the rooms are merged,
 * so that the statement reads no more messages than needed. A row with `is_cut` says that a limit
 * has ended the search.
 */
async function findMessages(
  { db, caller }: AccountContext,
  rooms: readonly MyRoom[],
  q: string,
  limit: number,
): Promise<FoundRow[]> {
  const me = participantId(caller);
  const logs = rooms.map(
    ({ id }) => sql`(
      select id, room_id, sender_name, content, removed_at from chat_messages
      where room_id = ${id} order by id desc limit ${MAX_MESSAGES + 1})`,
  );
  const { rows } = await sql<FoundRow>`
    select line.id, line.room_id, line.sender_name, line.content, line.is_cut, chat_rooms.title,
      case when chat_rooms.title is null then first_open_message(chat_rooms.id) end as first_message
    from (
      select *, nth > ${MAX_MESSAGES} or bytes > ${MAX_BYTES} as is_cut
      from (
        select *, row_number() over newest_first as nth,
          sum(octet_length(content)) over newest_first as bytes
        from (
          select * from (${sql.join(logs, sql` union all `)}) as log
          order by id desc limit ${MAX_MESSAGES + 1}) as newest
        window newest_first as (order by id desc rows unbounded preceding)) as counted) as line
    join chat_rooms on chat_rooms.id = line.room_id
    left join room_people as person
      on person.room_id = chat_rooms.id and person.participant = ${me}
    where ${mayEnter(me)} and case when line.is_cut then true else line.removed_at is null
      and ${plain(sql`${q}::text`)} <> ''
      and strpos(${normalized}, ${plain(sql`${q}::text`)}) > 0 end
    order by line.id desc limit ${limit}`.execute(db);
  return rows;
}
