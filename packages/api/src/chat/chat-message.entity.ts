import { defineEntity, p } from "@mikro-orm/core";
import { ChatRoom } from "./chat-room.entity.ts";

/** One line of a room's log (specification §2, Chat message). */
export const ChatMessage = defineEntity({
  name: "ChatMessage",
  tableName: "chat_messages",
  properties: {
    id: p.bigint("number").primary(),
    room: () => p.manyToOne(ChatRoom).deleteRule("cascade"),
    /** The room's head before this line; 0 for the first. One successor each: the log cannot branch. */
    prev_id: p.bigint("number"),
    role: p.text(),
    /** `account:<id>`, `guest:<id>`, or `soul` for the assistant. */
    sender: p.text(),
    sender_name: p.text(),
    content: p.text(),
    /** On a reply: the hold its units were taken by, which was settled as this line was written. */
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
