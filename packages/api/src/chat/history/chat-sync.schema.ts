import { z } from "zod";
import { field, id } from "../../fields.schema.ts";
import {
  chatMessage,
  messageCursor,
  participant,
  presentParticipant,
  revision,
  roomName,
  roomSettings,
} from "../chat.schema.ts";

/**
 * Longest time that a chat-sync call may wait for a change of the room, in seconds (decisions §5).
 */
const MAX_WAIT = 25;

/** Input of GET /api/chat-sync (specification §4.2). */
export const syncQuestion = z.object({
  ...roomName,
  last_id: field(
    messageCursor.optional(),
    410,
    "Id of the newest message that you have; 0 if you have none.",
  ),
  before_id: field(id.optional(), 212, "Read the messages before this one instead."),
  revision: field(
    revision.optional(),
    17,
    "The revision up to which you have the changes of the room; 0 if you have none.",
  ),
  wait: field(
    z.int().min(1).max(MAX_WAIT).optional(),
    25,
    "Seconds to wait for a change while there is nothing new.",
  ),
});

const replyInProgress = z.object({
  reply_id: field(z.string(), "0b9e4c1a-7d52-4c56-9d0a-5f1f0f6f3a11"),
  sender_name: field(z.string(), "ada", "Name of the participant who asked."),
  content: field(
    z.string(),
    "What do you think of tabs?",
    "The question; empty if an earlier question is answered again.",
  ),
  parent_id: field(
    id.nullish(),
    410,
    "The message that the question, or the new reply to an earlier one, continues.",
  ),
  regenerates: field(id.nullish(), null, "The earlier question that is answered again."),
  soul_id: field(id.optional(), 1, "The soul that replies."),
  text: field(z.string(), "Two spaces, and", "The reply's text so far."),
});

/** Output of GET /api/chat-sync (specification §4.2, decisions §5). */
export const syncAnswer = z.object({
  online_count: field(z.int(), 1, "Number of participants present, including you."),
  new_messages: z.array(chatMessage),
  head: messageCursor.describe("Id of the newest message in the room; 0 if there is none."),
  recovered: field(
    z.boolean(),
    true,
    "False if `last_id` or `revision` is unknown: replace the messages that you have by these.",
  ),
  revision: field(
    revision,
    19,
    "The revision up to which this answer and the messages that you have are complete.",
  ),
  room: roomSettings.optional().describe("Only with `revision`."),
  changes: z
    .array(chatMessage)
    .optional()
    .describe("The messages that changed after `revision`, lowest revision first; at most 200."),
  changes_more: field(
    z.boolean().optional(),
    false,
    "True if more messages changed. Call again with the returned `revision`.",
  ),
  has_more: field(
    z.boolean(),
    false,
    "True if there are more messages in the direction that you read.",
  ),
  participants: z.array(presentParticipant),
  replies: z
    .array(replyInProgress)
    .describe("Replies in progress. Each becomes a message when it is complete."),
  is_private: field(z.boolean(), false, "True if only the owner and members can enter the room."),
  you: participant.extend({
    is_owner: field(z.boolean(), true, "True if you started the room."),
    seen_to: field(
      messageCursor.optional(),
      398,
      "Id of the newest message that you have seen; 0 if you were never here. Only for accounts, and without `last_id` or with 0.",
    ),
  }),
});
