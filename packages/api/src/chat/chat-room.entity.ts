import { defineEntity, p } from "@mikro-orm/core";
import { Soul } from "../souls/soul.entity.ts";

/** One chat session: (soul, session_token). The token opens a public room, so the table holds it hashed and sealed. */
export const ChatRoom = defineEntity({
  name: "ChatRoom",
  tableName: "chat_rooms",
  properties: {
    id: p.bigint("number").primary(),
    soul: () => p.manyToOne(Soul).deleteRule("cascade"),
    token_hash: p.text(),
    token_sealed: p.text(),
    /** The participant who wrote first, as `account:<id>` or `guest:<id>`. */
    owner: p.text().index(),
    is_private: p.boolean().default(false),
    /** Id of the newest message; 0 before the first. Written under the row's lock, so ids are in commit order. */
    head_id: p.bigint("number").default(0),
    summary: p.text().nullable(),
    /** The newest message that the summary covers. */
    summarised_to: p.bigint("number").default(0),
    /** One fold at a time, on whichever server: until then the room is taken. */
    folding_until: p.string().columnType("timestamptz").nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    updated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "chat_rooms_name_unique", properties: ["soul", "token_hash"] }],
});
