import { defineEntity, p } from "@mikro-orm/core";
import { ChatRoom } from "../chat-room.entity.ts";

/**
 * A participant of a room whom the room's owner has invited or restricted, or who has read the
 * room (0040). Other participants have no row.
 */
export const RoomPerson = defineEntity({
  name: "room_people",
  properties: {
    room: () => p.manyToOne(ChatRoom).primary().deleteRule("cascade").updateRule("no action"),
    /** `account:<id>` or `guest:<id>`. */
    participant: p.text().primary().index(),
    /** The participant's name when the row was last changed. */
    name: p.text(),
    /** True for an account that may enter the room although it is private. */
    is_member: p.boolean().default(false),
    /** `muted`: may read, not talk. `banned`: may not enter. */
    restriction: p.text().nullable(),
    /** End of the restriction; null means no end. */
    restricted_until: p.string().columnType("timestamptz").nullable(),
    /**
     * Since when the participant may no longer enter, if it wrote in the room or was its member. It
     * may report lines from before for 30 days (0062).
     */
    restricted_at: p.string().columnType("timestamptz").nullable(),
    /** Id of the newest message that the participant has seen. */
    seen_to: p.bigint("number").default(0),
    /**
     * Id of the room's newest message when the participant hid the room from its list (0042). A
     * later membership ends that.
     */
    hidden_to: p.bigint("number").nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  indexes: [
    {
      name: "room_people_restricted_index",
      properties: ["room"],
      where: "restriction is not null",
    },
  ],
  checks: [
    { name: "room_people_restriction_check", expression: "restriction in ('muted', 'banned')" },
  ],
});
