import { defineEntity, p } from "@mikro-orm/core";
import { ChatRoom } from "../chat-room.entity.ts";

/**
 * A version of a room's summary (0038). The room's row holds the current one, which is the
 * newest version with the same text and `covers_to`.
 */
export const RoomSummary = defineEntity({
  name: "room_summaries",
  properties: {
    room: () => p.manyToOne(ChatRoom).primary().deleteRule("cascade").updateRule("no action"),
    version: p.integer().primary(),
    /** The summary; empty after a reset. */
    text: p.text(),
    /** The newest message that the text covers; 0 for none. */
    covers_to: p.bigint("number"),
    made_by: p.text(),
    /** Name of the person who corrected, reset or restored the summary. */
    name: p.text().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [
    {
      name: "room_summaries_made_by_check",
      expression: "made_by in ('fold', 'person', 'rollback')",
    },
  ],
});
