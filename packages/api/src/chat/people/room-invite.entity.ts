import { defineEntity, p } from "@mikro-orm/core";
import { ChatRoom } from "../chat-room.entity.ts";

/**
 * An invite to a private room (0040). It grants access, so the table stores only its hash and its
 * ciphertext.
 */
export const RoomInvite = defineEntity({
  name: "room_invites",
  properties: {
    id: p.bigint("number").primary(),
    room: () => p.manyToOne(ChatRoom).deleteRule("cascade"),
    invite_hash: p.text().unique(),
    invite_sealed: p.text(),
    /** Number of accounts that may join. */
    uses: p.integer(),
    /** Number of accounts that have joined. */
    used: p.integer().default(0),
    expires_at: p.string().columnType("timestamptz"),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  indexes: [{ name: "room_invites_room_id_index", properties: ["room"] }],
});
