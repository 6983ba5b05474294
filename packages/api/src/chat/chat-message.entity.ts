import { defineEntity, p } from "@mikro-orm/core";
import type { TableOf } from "../db/database.ts";
import { ChatRoom } from "./chat-room.entity.ts";

declare module "../db/database.ts" {
  interface Tables {
    chat_messages: TableOf<typeof ChatMessage>;
  }
}

/** One message of a room (specification §2, Chat message). */
export const ChatMessage = defineEntity({
  name: "ChatMessage",
  tableName: "chat_messages",
  properties: {
    id: p.bigint("number").primary(),
    room: () => p.manyToOne(ChatRoom).deleteRule("cascade"),
    /**
     * Id of the room's previous message; 0 for the first message. It is unique per room, so that
     * the log cannot branch.
     */
    prev_id: p.bigint("number"),
    role: p.text(),
    /** `account:<id>`, `guest:<id>`, or `soul` for the assistant. */
    sender: p.text(),
    sender_name: p.text(),
    content: p.text(),
    /**
     * On a reply: id of the quota hold that was settled in the transaction that stored the reply.
     */
    hold_id: p.bigint("number").nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "chat_messages_chain_unique", properties: ["room", "prev_id"] }],
  indexes: [
    { name: "chat_messages_room_id_index", properties: ["room", "id"] },
    { name: "chat_messages_sender_index", properties: ["sender", "room"] },
  ],
  checks: [
    { name: "chat_messages_role_check", expression: "role in ('user', 'assistant')" },
    { name: "chat_messages_order_check", expression: "prev_id < id" },
  ],
});
