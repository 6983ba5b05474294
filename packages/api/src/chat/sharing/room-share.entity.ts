import { defineEntity, p } from "@mikro-orm/core";
import { ChatRoom } from "../chat-room.entity.ts";

/**
 * A public link to a room's path up to one message (0040). It stores no text, so that edits and
 * removals apply to it at once.
 */
export const RoomShare = defineEntity({
  name: "room_shares",
  properties: {
    /** 128 random bits as base64url. The link contains them. */
    id: p.text().primary(),
    room: () => p.manyToOne(ChatRoom).deleteRule("cascade"),
    /** Id of the last shared message. */
    to_id: p.bigint("number"),
    /** False: participants are shown as "Person 1", "Person 2" and so on. */
    with_names: p.boolean().default(false),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  indexes: [{ name: "room_shares_room_id_index", properties: ["room"] }],
});
