import { type SelectQueryBuilder, sql } from "kysely";
import { batchedRead } from "../db/batched-read.ts";
import type { Db, HubTables } from "../db/entities.ts";
import type { RoomMessage } from "../rooms/room-events.ts";
import type { RoomLog } from "../rooms/room-log.ts";
import { splitRoomKey } from "./room-key.ts";

export interface RoomRecord {
  id: number;
  owner: string;
  is_private: boolean;
  head_id: number;
}

/** Rooms by key, gathered per turn of the event loop. A room nobody has written in has no row. */
export type RoomReads = (key: string) => Promise<RoomRecord | undefined>;

export const createRoomReads = (db: Db): RoomReads =>
  batchedRead(async (keys: string[]) => {
    const rows = await selectRooms(db, keys)
      .select(["chat_rooms.owner", "chat_rooms.is_private", "chat_rooms.head_id"])
      .execute();
    return new Map(rows.map((row) => [row.key, row]));
  });

function selectRooms(db: Db, keys: readonly string[]) {
  const names = keys.map(splitRoomKey);
  return db
    .selectFrom("chat_rooms")
    .select(["chat_rooms.id", sql<string>`soul_id || '/' || token_hash`.as("key")])
    .where(
      sql<boolean>`(soul_id, token_hash) in (select * from unnest(
        ${names.map(({ soulId }) => soulId)}::bigint[], ${names.map(({ tokenHash }) => tokenHash)}::text[]))`,
    );
}

const lineColumns = [
  "chat_messages.id",
  "chat_messages.prev_id",
  "chat_messages.role",
  "chat_messages.sender_name",
  "chat_messages.content",
] as const;

type Messages = SelectQueryBuilder<HubTables, "chat_messages", object>;

const inRoom = (db: Db, key: string): Messages => {
  const { soulId, tokenHash } = splitRoomKey(key);
  return db
    .selectFrom("chat_messages")
    .where("chat_messages.room_id", "=", (eb) =>
      eb
        .selectFrom("chat_rooms")
        .select("chat_rooms.id")
        .where("soul_id", "=", soulId)
        .where("token_hash", "=", tokenHash),
    );
};

const asMessage = <Row extends { role: string }>(row: Row) => ({
  ...row,
  role: row.role as RoomMessage["role"],
});

/** The newest `limit` lines below `beforeId` (all lines without it), oldest first, with who wrote them. */
export async function readNewest(db: Db, key: string, limit: number, beforeId?: number) {
  let lines = inRoom(db, key).select([...lineColumns, "chat_messages.sender"]);
  if (beforeId !== undefined) lines = lines.where("chat_messages.id", "<", beforeId);
  const rows = await lines.orderBy("chat_messages.id", "desc").limit(limit).execute();
  return rows.reverse().map(asMessage);
}

/** Lines after `id`, oldest first. */
export async function readAfter(db: Db, key: string, id: number, limit: number) {
  const rows = await inRoom(db, key)
    .select(lineColumns)
    .where("chat_messages.id", ">", id)
    .orderBy("chat_messages.id")
    .limit(limit)
    .execute();
  return rows.map(asMessage);
}

/** The database as the log of the live rooms. */
export function createRoomLog(db: Db): RoomLog {
  return {
    newest: (key, limit) => readNewest(db, key, limit),
    after: (key, id, limit) => readAfter(db, key, id, limit),
    async countAfter(key, id, limit) {
      const { count } = await db
        .selectFrom(
          inRoom(db, key)
            .select("chat_messages.id")
            .where("chat_messages.id", ">", id)
            .limit(limit)
            .as("newer"),
        )
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    async heads(keys) {
      const rows = await selectRooms(db, keys).select("chat_rooms.head_id").execute();
      return new Map(rows.map((row) => [row.key, row.head_id]));
    },
  };
}
