import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { createDataLoader } from "../../db/data-loader.ts";
import type { Db, Tables } from "../../db/database.ts";
import type { RoomLog } from "../../rooms/log/room-log.ts";
import type { RoomMessage, RoomSettings } from "../../rooms/room-events.ts";
import { splitRoomKey } from "../access/room-key.ts";
import { type MessageRow, messageColumns, toMessage } from "./message-row.ts";
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
  head_id: number;
  /** Counts the changes of the room and of its stored messages (0039). */
  revision: number;
  /** The participants that may talk: `anyone`, `members` (accounts) or `owner`. */
  talk: RoomSettings["talk"];
}

/** The columns of a {@link RoomRecord} beside `id`. */
export const recordColumns = [
  "owner",
  "is_private",
  "head_id",
  "revision",
  sql<RoomSettings["talk"]>`talk`.as("talk"),
] as const;

/** Reads rooms by key, batched per turn of the event loop. A room without messages has no row. */
export type RoomReads = (key: string) => Promise<RoomRecord | undefined>;

export const createRoomReads = (db: Db): RoomReads =>
  createDataLoader(async (keys: string[]) => {
    const rows = await selectRooms(db, keys).select(recordColumns).execute();
    return new Map(rows.map((row) => [row.key, row]));
  });

/** Selects rooms by their keys. A room without messages has no row. */
export function selectRooms(db: Db, keys: readonly string[]) {
  const names = keys.map(splitRoomKey);
  return db
    .selectFrom("chat_rooms")
    .select(["id", sql<string>`soul_id || '/' || token_hash`.as("key")])
    .where(
      sql<boolean>`(soul_id, token_hash) in (select * from unnest(
        ${names.map(({ soulId }) => soulId)}::bigint[], ${names.map(({ tokenHash }) => tokenHash)}::text[]))`,
    );
}

type Messages = SelectQueryBuilder<Tables, "chat_messages", object>;

/** Selects a room's messages. Reads that end at a limit call an SQL function instead. */
const inRoom = (db: Db, key: string): Messages => {
  const { soulId, tokenHash } = splitRoomKey(key);
  return db
    .selectFrom("chat_messages")
    .where("room_id", "=", (eb) =>
      eb
        .selectFrom("chat_rooms")
        .select("id")
        .where("soul_id", "=", soulId)
        .where("token_hash", "=", tokenHash),
    );
};

/**
 * Reads the newest `limit` messages of the room's path with ids below `beforeId`, if given, oldest
 * first (0038).
 */
export const readPath = (db: Db, key: string, limit: number, beforeId?: number) =>
  readMessages(
    db,
    key,
    sql`path_messages(
      room.id, coalesce(room.active_id, room.head_id), ${beforeId ?? null}, ${limit})`,
  );

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
      const { count } = await db
        .selectFrom(inRoom(db, key).select("id").where("id", ">", id).limit(limit).as("newer"))
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    changes: (key, revision, limit) => readChanges(db, key, revision, limit),
    async heads(keys) {
      const rows = await selectRooms(db, keys).select(["head_id as head", "revision"]).execute();
      return new Map(rows.map(({ key, head, revision }) => [key, { head, revision }]));
    },
  };
}
