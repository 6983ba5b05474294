import { z } from "zod";
import { field, id } from "../../fields.schema.ts";
import { replyQuota } from "../../quota/quota.schema.ts";
import { MAX_SOULS, roomName } from "../chat.schema.ts";
import { madeBy } from "../made-by.schema.ts";

/** Maximum body of a chat request: an image of 3.75 MB in base64 and the longest message fit. */
export const MAX_CHAT_BODY_BYTES = 6 * 1024 * 1024;

/** What POST /api/chat and POST /api/self-chat accept of a message. */
export const newMessage = {
  content: field(
    z.string().default(""),
    "What do you think of tabs?",
    "Your plan limits its length. May be empty only if there is an image.",
  ),
  image: field(
    z.string().max(MAX_CHAT_BODY_BYTES).nullish(),
    null,
    "A data URI: png, jpeg, webp or gif, strict base64, at most 3.75 MB.",
  ),
  is_private: field(
    z.boolean().default(false),
    false,
    "`true` from the session's owner makes it private permanently. Self-chat ignores it.",
  ),
};

/** Where a message goes in the room's tree, and the version of the soul that replies (0038). */
const branchFields = {
  parent_id: field(
    z.int().min(0).optional(),
    410,
    "Continue from this message instead of the end of the path. To rewrite a question, send its own `parent_id`, or 0 for the first one.",
  ),
  regenerate: field(
    id.optional(),
    411,
    "Id of a question that is answered again; `content` is empty. A question with an image needs the image again.",
  ),
  version: field(
    id.optional(),
    3,
    "The version of the soul for this reply alone. You must be allowed to read it.",
  ),
};

/** Input of POST /api/chat (specification §4.2). */
export const newChatMessage = z
  .object({
    action: field(z.literal("chat").default("chat"), "chat"),
    ...roomName,
    ...newMessage,
    deep_think: field(
      z.boolean().default(false),
      false,
      "Lets the model reason before it replies. Costs `deep_think_cost` units.",
    ),
    ...branchFields,
    to: field(
      z.array(id).min(1).max(MAX_SOULS).optional(),
      [1, 7],
      "The souls that reply, in this order. By default the mentioned ones (`@handle`), else the room's own, or none in a room with `answers: addressed`.",
    ),
  })
  .refine(({ parent_id, regenerate }) => parent_id === undefined || regenerate === undefined, {
    path: ["regenerate"],
    message: "cannot be combined with parent_id",
  })
  .refine(({ regenerate, content }) => regenerate === undefined || content === "", {
    path: ["content"],
    message: "must be empty beside regenerate",
  })
  .refine(({ version, to }) => version === undefined || new Set(to).size < 2, {
    path: ["version"],
    message: "cannot be combined with several souls",
  });

const soulReply = {
  reply: field(z.string(), "Two spaces, and peace in the team."),
  sender_name: field(z.string(), "The Patient Reviewer", "The soul's title."),
};
const replyId = field(
  z.string().nullable(),
  "0b9e4c1a-7d52-4c56-9d0a-5f1f0f6f3a11",
  "Id of this reply in the room's live events; null if none began.",
);
const replyRemoved = field(
  z.literal(true).optional(),
  true,
  "Only in the answer to a repeated Idempotency-Key: the reply was removed.",
);

const replyOfSoul = z.object({
  soul_id: id,
  ...soulReply,
  reply_id: replyId,
  message_id: field(id.nullable(), 412, "Id of the reply; null if it failed."),
  made_by: madeBy.nullable(),
  error: field(
    z.string().optional(),
    "provider_timeout",
    "The code of the failure. The units of this reply were given back.",
  ),
  removed: replyRemoved,
});

/** Output of POST /api/chat (specification §4.2). */
export const chatAnswer = z.object({
  ...soulReply,
  reply_id: replyId,
  message_id: field(id, 412, "Id of the reply; of the message itself, if no soul replied."),
  question_id: field(id, 411, "Id of the question."),
  made_by: madeBy.nullable().describe("Null if no soul replied."),
  answered: field(z.boolean(), true, "True if a soul replied."),
  replies: z
    .array(replyOfSoul)
    .optional()
    .describe("If several souls were asked: the reply of each, the first included."),
  removed: replyRemoved,
  quota: replyQuota,
});
