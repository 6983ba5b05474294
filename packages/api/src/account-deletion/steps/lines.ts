import { sql } from "kysely";
import { COPIED } from "../../chat/chat-message.entity.ts";
import { publishRevision } from "../../chat/rows/revision-step.ts";
import type { Db } from "../../db/database.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { type DeletionStep, DONE, type DueAccount } from "../due-account.ts";

/** Lines of one room per transaction. */
const LINES = 500;

/** A copy has at most 500 messages (0042), so it names at most as many people. */
const copiedBy = Array.from({ length: 500 }, (_, nth) => `${COPIED}${nth + 1}`);

/**
 * Takes the account out of the next lines of one room: its own lines, and copies of them in rooms of
 * others, which no id but only the name links to the account.
 */
export const forgetLines: DeletionStep = async (tx, account, { rooms }) => {
  const room = await findRoom(tx, account);
  if (!room) return DONE;
  // null: the room was deleted meanwhile.
  const { revision } = await callForRow<{ revision: number | null }>(tx, "forget_lines", {
    of_room: room.id,
    former: account.id,
    former_name: account.username,
    copied_by: copiedBy,
    is_erased: account.messages === "erase",
    at_most: LINES,
  });
  return {
    hasMore: true,
    announce: () => publishRevision(rooms, { key: room.key, revision: revision ?? 0 }),
  };
};

async function findRoom(tx: Db, { id, username }: DueAccount) {
  const lines = tx
    .selectFrom("chat_messages")
    .innerJoin("chat_rooms", "chat_rooms.id", "chat_messages.room_id")
    .select(["chat_rooms.id", sql<string>`soul_id || '/' || token_hash`.as("key")])
    .limit(1);
  const own = await lines.where("sender", "=", `account:${id}`).executeTakeFirst();
  return (
    own ??
    lines
      .where("sender", "=", sql<string>`any(${copiedBy}::text[])`)
      .where("sender_name", "=", username)
      .executeTakeFirst()
  );
}
