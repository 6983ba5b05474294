import { defineEntity, p } from "@mikro-orm/core";
import { ChatMessage } from "./chat-message.entity.ts";

/** An emoji with which a participant reacted to a message (0038). */
export const MessageReaction = defineEntity({
  name: "message_reactions",
  properties: {
    message: () => p.manyToOne(ChatMessage).primary().deleteRule("cascade").updateRule("no action"),
    /** `account:<id>` or `guest:<id>`. */
    participant: p.text().primary(),
    emoji: p.text().primary(),
    /** The participant's name at the time of the reaction. */
    name: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
