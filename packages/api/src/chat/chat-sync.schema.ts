import { z } from "zod";
import { id } from "../fields.schema.ts";
import { messageCursor, participant, roomName, syncMessage } from "./chat.schema.ts";

/** Specification §4.2, GET /api/chat-sync. */
export const syncQuestion = z.object({
  ...roomName,
  last_id: messageCursor
    .optional()
    .meta({ description: "The newest message you hold; 0 for none.", examples: [410] }),
  before_id: id
    .optional()
    .meta({ description: "Read the messages before this one instead.", examples: [212] }),
});

const replyInProgress = z.object({
  reply_id: z.string().meta({ examples: ["0b9e4c1a-7d52-4c56-9d0a-5f1f0f6f3a11"] }),
  sender_name: z.string().meta({ description: "Who asked.", examples: ["ada"] }),
  content: z
    .string()
    .meta({ description: "The question.", examples: ["What do you think of tabs?"] }),
  text: z.string().meta({ examples: ["Two spaces, and"] }),
});

export const syncAnswer = z.object({
  online_count: z.int().meta({ description: "Who is here, you included.", examples: [1] }),
  new_messages: z.array(syncMessage),
  head: messageCursor.meta({ description: "The room's newest message id; 0 while there is none." }),
  recovered: z
    .boolean()
    .meta({ description: "False: `last_id` is unknown here. Start anew.", examples: [true] }),
  has_more: z.boolean().meta({
    description: "There are more in the direction you read.",
    examples: [false],
  }),
  participants: z.array(participant),
  replies: z
    .array(replyInProgress)
    .meta({ description: "Being written, each with its text so far. Their messages follow." }),
  is_private: z.boolean().meta({ description: "Its owner alone may be here.", examples: [false] }),
  you: participant.extend({
    is_owner: z.boolean().meta({ description: "You began it.", examples: [true] }),
  }),
});
