import { handlesOf } from "@soul-hub/soul-names";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { RoomSnapshot } from "../../rooms/ports/room-log.ts";
import type { RoomLine, RoomMessage, RoomSettings, SoulState } from "../../rooms/room-events.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import { type MessageRow, messageColumns, toLine, toMessage, utcText } from "./message-row.ts";
import { splitRoomKey } from "./room-key.ts";

/** Length of an automatic title in characters (decisions §5, Rooms). */
const AUTOMATIC_TITLE_CHARS = 60;

interface SettingsRow extends Pick<RoomSettings, "answers" | "talk" | "active_id" | "revision"> {
  title: string | null;
  /** The beginning of the first message, for a room without a title. */
  first_message: string | null;
  /** The souls that the room's row names; null for the host alone. */
  chosen: RoomSoul[] | null;
  /** The present state of the host, and of those that are public and ungated, in any order. */
  souls: { id: number; title: string; version: number }[];
  /** The host's state for callers other than its author; null while every caller may use it. */
  soul_state: Exclude<SoulState, "available"> | null;
  /** The title that these callers may read. */
  public_title: string;
  copied: RoomSettings["copied"] | null;
  messages: MessageRow[];
}

/**
 * Reads a room's settings together with some of its messages, in one statement: both are of the
 * same moment.
 * @param messages a call of an SQL function that returns rows of chat_messages
 * @returns `room` is undefined if the soul does not exist
 */
async function readSnapshot(
  db: Db,
  key: string,
  messages: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<RoomSnapshot<RoomMessage>> {
  const { soulId, tokenHash } = splitRoomKey(key);
  const { rows } = await sql<SettingsRow>`
    select coalesce(room.revision, 0) as revision, room.active_id, room.title,
      coalesce(room.answers, 'always') as answers, coalesce(room.talk, 'anyone') as talk,
      case when room.title is null then first_open_message(room.id) end as first_message,
      room.souls as chosen,
      (select json_agg(json_build_object('id', id, 'title', title, 'version', version)) from souls
        where id = host.id or (is_public = 1 and nft_contract is null and id = any(array(
          select (chosen ->> 'soul_id')::bigint
          from jsonb_array_elements(room.souls) as chosen)))) as souls,
      case when host.deleted_at is not null then 'deleted' when host.is_public = 0 then 'private'
        when host.nft_contract is not null then 'gated' end as soul_state,
      case when host.is_public = 1 then host.title else public_title(host.id) end as public_title,
      case when room.copied_to is not null then json_build_object('from', room.copied_from,
        'to_id', room.copied_to, 'at', ${utcText("room.created_at")}) end as copied,
      coalesce((
        select json_agg(picked order by ${order})
        from (select ${messageColumns} from ${messages} as line) as picked), '[]') as messages
    from souls as host
    left join chat_rooms as room on room.soul_id = host.id and room.token_hash = ${tokenHash}
    where host.id = ${soulId}`.execute(db);
  const [row] = rows;
  if (!row) return { revision: 0, room: undefined, messages: [] };
  return {
    revision: row.revision,
    room: toSettings(row, soulId),
    messages: row.messages.map(toMessage),
  };
}

function toSettings(row: SettingsRow, hostId: number): RoomSettings {
  const { revision, active_id, answers, talk, souls, chosen } = row;
  const present = new Map(souls.map((soul) => [soul.id, soul]));
  const handleOf = (title: string) => handlesOf([title])[0] ?? "";
  const handle = handleOf(present.get(hostId)?.title ?? "");
  const { soul_state, public_title, copied } = row;
  return {
    revision,
    title: titleOf(row),
    active_id,
    answers,
    talk,
    soul_state: "available",
    souls: (chosen ?? [{ soul_id: hostId, handle, version: null }]).flatMap((soul) => {
      const { title, version: latest } = present.get(soul.soul_id) ?? {};
      // A soul that was deleted, or that not everyone may use any more, is left out.
      return title === undefined || latest === undefined ? [] : { ...soul, title, latest };
    }),
    ...(copied && { copied }),
    ...(soul_state && {
      outside: {
        soul_state,
        title: public_title,
        handle: handleOf(public_title),
      },
    }),
  };
}

/** Returns a room's title. That of a room without one is the beginning of its first message. */
export const titleOf = ({
  title,
  first_message,
}: Pick<SettingsRow, "title" | "first_message">): string =>
  title ??
  Array.from((first_message ?? "").replace(/\s+/g, " ").trim())
    .slice(0, AUTOMATIC_TITLE_CHARS)
    .join("");

/** Reads a room's settings and its newest messages, oldest first. */
export const readRoom = (db: Db, key: string, limit: number) =>
  readSnapshot(db, key, sql`newest_messages(room.id, null, ${limit})`, sql`picked.id`);

/** Reads a room's settings and the messages that changed after a revision, lowest revision first. */
export async function readChanges(
  db: Db,
  key: string,
  revision: number,
  limit: number,
): Promise<RoomSnapshot<RoomLine>> {
  const changed = sql`changed_messages(room.id, ${revision}, ${limit})`;
  const snapshot = await readSnapshot(db, key, changed, sql`picked.revision`);
  return { ...snapshot, messages: snapshot.messages.map(toLine) };
}

/** Reads a room's settings and one of its messages, if its id is given. */
export async function readChanged(
  db: Db,
  key: string,
  messageId = 0,
): Promise<RoomSnapshot<RoomLine>> {
  const chosen = sql`(select * from chat_messages
    where room_id = room.id and chat_messages.id = ${messageId})`;
  const snapshot = await readSnapshot(db, key, chosen, sql`picked.id`);
  return { ...snapshot, messages: snapshot.messages.map(toLine) };
}
