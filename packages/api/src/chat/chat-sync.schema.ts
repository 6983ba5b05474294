import { z } from "zod";
import { id } from "../fields.schema.ts";
import { messageCursor, participant, roomName, syncMessage } from "./chat.schema.ts";

/** Specification §4.2, GET /api/chat-sync. */
export const syncQuestion = z.object({
  ...roomName,
  last_id: messageCursor
    .optional()
    .meta({ description: "The newest message you hold; 0 for none." }),
  before_id: id.optional().meta({ description: "Read the messages before this one instead." }),
});

export const syncAnswer = z.object({
  online_count: z.int(),
  new_messages: z.array(syncMessage),
  head: messageCursor.meta({ description: "The room's newest message id; 0 while there is none." }),
  recovered: z.boolean(),
  has_more: z.boolean(),
  participants: z.array(participant),
});
