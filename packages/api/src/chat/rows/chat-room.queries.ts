import { type Compilable, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { createDataLoader } from "../../db/data-loader.ts";
import type { Db, Tables } from "../../db/database.ts";
import { arrayOf, prepareQuery } from "../../db/prepared-query.ts";
import type { RoomLog } from "../../rooms/ports/room-log.ts";
import type { RoomMessage, RoomSettings } from "../../rooms/room-events.ts";
import { type MessageRow, messageColumns, toMessage } from "./message-row.ts";
import { splitRoomKey } from "./room-key.ts";
import { readChanges, readRoom } from "./room-settings.queries.ts";

declare module "../../context.ts" {
  interface Hub {
    chatRooms: RoomReads;
  }
}

export interface RoomRecord {
  id: number;
  owner: string;
  is_private: boolean;
  /** True if the hub's staff have closed the room: its owner alone may enter (0062). */
  is_closed: boolean;
  head_id: number;
  /** Counts the changes of the room and of its stored messages (0039). */
  revision: number;
  /** The participants that may talk: `anyone`, `members` (accounts) or `owner`. */
  talk: RoomSettings["talk"];
  /** True if the participant may enter the room although it is private (0040). */
  is_member: boolean;
  /**
   * The restriction of the participant that is in effect at present (0040). The owner keeps the
   * participant out of all of its rooms with `blocked` (0064) and `private_session` (0063).
   * `room_not_found` stands for a deleted room that was another participant's (0042). A reserved
   * address has no room, so all other columns are null or false, for its former owner as well.
   */
  restriction: "muted" | "banned" | "blocked" | "private_session" | "room_not_found" | null;
  /** The end of a mute or ban; null for one without end. */
  restricted_until: string | null;
}

/** True for the address of a deleted room (0042). Evaluated only if there is no room. */
const reservation = sql`select from reserved_rooms as reserved
  where reserved.soul_id = asked.of_soul and reserved.token_hash = asked.of_token`;
const isReserved = sql<SqlBool>`exists (${reservation})`;

/** The columns of a {@link RoomRecord} beside `id`. */
export const recordColumns = [
  "owner",
  "is_private",
  "is_closed",
  "head_id",
  "revision",
  sql<RoomSettings["talk"]>`talk`.as("talk"),
  sql<boolean>`coalesce(person.is_member, false)`.as("is_member"),
  sql<string | null>`person.restricted_until`.as("restricted_until"),
  sql<RoomRecord["restriction"]>`coalesce(
    case when chat_rooms.id is null and exists (
      ${reservation} and reserved.owner <> asked.of_participant) then 'room_not_found' end,
    owner_refusal(chat_rooms.owner, asked.of_participant),
    case when ${inEffect(sql.ref("person.restricted_until"))} then person.restriction end)`.as(
    "restriction",
  ),
] as const;

/** True while a restriction with this end is in effect, by the database clock. */
function inEffect(until: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${until} is null or ${until} > hub_now())`;
}

/** A room with the participants who may not enter it. */
export interface AdmittingRoom extends RoomRecord {
  /**
   * The participants with a ban in effect, and those whom the owner has blocked. At most
   * {@link MAX_LISTED_BANS} and one more: a longer list is incomplete.
   */
  banned: string[];
}

export const MAX_LISTED_BANS = 100;

/**
 * Reads a room by its key, with the row of a participant (0040), batched per turn of the event
 * loop. A room without messages has no row, unless its address is reserved.
 */
export type RoomReads = (key: string, participant?: string) => Promise<AdmittingRoom | undefined>;

export const createRoomReads = (db: Db): RoomReads =>
  createRoomLoader(db, (rooms) =>
    rooms.select([...recordColumns, bannedParticipants.as("banned")]),
  );

const bannedParticipants = sql<string[]>`to_json(array(
  select kept_out.participant from room_people as kept_out
  where kept_out.room_id = chat_rooms.id and kept_out.restriction = 'banned'
    and ${inEffect(sql.ref("kept_out.restricted_until"))}
  union all select 'account:' || blocked_id from blocks
  where blocker_id = substring(chat_rooms.owner from '^account:(\\d+)$')::bigint
  limit ${sql.lit(MAX_LISTED_BANS + 1)}))`;

/**
 * A participant's request to read a room: `<participant> <soul id>/<token hash>`. It is one text,
 * because a data loader compares ids as values.
 */
type RoomAsk = string;

/**
 * Creates a data loader of rooms.
 * @param select selects columns of `chat_rooms` and of `person`, the participant's row in
 *   `room_people`
 */
export function createRoomLoader<Row extends { ask: RoomAsk }>(
  db: Db,
  select: (rooms: ReturnType<typeof selectRoomsFor>) => Compilable<Row>,
  maxBatchSize?: number,
): (key: string, participant?: string) => Promise<Row | undefined> {
  const read = prepareQuery(db, (asks: RoomAsk[]) => select(selectRoomsFor(db, asks)));
  const load = createDataLoader(async (asks: RoomAsk[]) => {
    const rows = await read(asks);
    return new Map(rows.map((row) => [row.ask, row]));
  }, maxBatchSize);
  return (key, participant = "") => load(`${participant} ${key}`);
}

function selectRoomsFor(db: Db, asks: RoomAsk[]) {
  const asked = sql<{ ask: RoomAsk; of_participant: string; of_soul: number; of_token: string }>`(
    select ask, split_part(ask, ' ', 1) as of_participant,
      split_part(name, '/', 1)::bigint as of_soul, split_part(name, '/', 2) as of_token
    from unnest(${arrayOf(asks, "text")}) as ask, split_part(ask, ' ', 2) as name)`;
  return db
    .selectFrom(asked.as("asked"))
    .innerJoinLateral(
      // With the limit, PostgreSQL searches for each room. Without, it reads all of a small hub.
      ({ selectFrom }) =>
        selectFrom(sql`(select)`.as("nothing"))
          .leftJoin("chat_rooms as named", (join) =>
            join
              .onRef("named.soul_id", "=", "asked.of_soul")
              .onRef("named.token_hash", "=", "asked.of_token"),
          )
          .selectAll("named")
          .limit(sql.lit(1))
          // Without a room, all columns are null: see `restriction` of RoomRecord.
          .$castTo<Selectable<Tables["chat_rooms"]>>()
          .as("chat_rooms"),
      (join) => join.onTrue(),
    )
    .where((eb) => eb.or([eb("chat_rooms.id", "is not", null), isReserved]))
    .leftJoin("room_people as person", (join) =>
      join
        .onRef("person.room_id", "=", "chat_rooms.id")
        .onRef("person.participant", "=", "asked.of_participant"),
    )
    .select(["chat_rooms.id", "asked.ask"]);
}

/**
 * Reads the newest `limit` messages of the room's path with ids below `beforeId`, if given, oldest
 * first (0038).
 * @param leafId the last message of another path, or of the same one before it moves
 */
export const readPath = (db: Db, key: string, limit: number, beforeId?: number, leafId?: number) =>
  readMessages(
    db,
    key,
    sql`path_messages(
      room.id, coalesce(${leafId ?? null}, room.active_id, room.head_id), ${beforeId ?? null},
      ${limit})`,
  );

/**
 * Reads one path page by page, from its end. The room's path may move between two pages: the later
 * ones belong to the path of the first.
 */
export function pathReader(db: Db, key: string) {
  let leaf: number | undefined;
  return async (limit: number, beforeId?: number): Promise<RoomMessage[]> => {
    const page = await readPath(db, key, limit, beforeId, leaf);
    leaf ??= page.at(-1)?.id;
    return page;
  };
}

/** Reads the newest `limit` messages with ids below `beforeId`, if given, oldest first. */
export const readNewest = (db: Db, key: string, limit: number, beforeId?: number) =>
  readMessages(db, key, sql`newest_messages(room.id, ${beforeId ?? null}, ${limit})`);

/** Reads messages after `id`, oldest first. */
export const readAfter = (db: Db, key: string, id: number, limit: number) =>
  readMessages(db, key, sql`messages_after(room.id, ${id}, ${limit})`);

async function readMessages(
  db: Db,
  key: string,
  messages: RawBuilder<unknown>,
): Promise<RoomMessage[]> {
  const { soulId, tokenHash } = splitRoomKey(key);
  const { rows } = await sql<MessageRow>`
    select ${messageColumns}
    from chat_rooms as room, ${messages} as line
    where room.soul_id = ${soulId} and room.token_hash = ${tokenHash}
    order by line.id`.execute(db);
  return rows.map(toMessage);
}

/** Implements the log of the live rooms on the database. */
export function createRoomLog(db: Db): RoomLog {
  return {
    load: (key, limit) => readRoom(db, key, limit),
    newest: (key, limit) => readNewest(db, key, limit),
    after: (key, id, limit) => readAfter(db, key, id, limit),
    async countAfter(key, id, limit) {
      const { soulId, tokenHash } = splitRoomKey(key);
      const { rows } = await sql<{ count: number }>`
        select count(*) from (
          select from chat_messages where id > ${id} and room_id = (
            select id from chat_rooms where soul_id = ${soulId} and token_hash = ${tokenHash})
          limit ${limit}) as newer`.execute(db);
      return rows[0]?.count ?? 0;
    },
    changes: (key, revision, limit) => readChanges(db, key, revision, limit),
    async heads(keys) {
      const { rows } = await sql<{ key: string; head: number; revision: number }>`
        select asked.key, head_id as head, revision
        from unnest(${keys}::text[]) as asked (key)
          join chat_rooms on soul_id = split_part(asked.key, '/', 1)::bigint
            and token_hash = split_part(asked.key, '/', 2)`.execute(db);
      return new Map(rows.map(({ key, head, revision }) => [key, { head, revision }]));
    },
  };
}
