import { z } from "zod";
import { field, id, NOT_BLANK, singleLine } from "../../fields.schema.ts";
import { answersMode, revision, roomName, talkMode } from "../chat.schema.ts";

/** An emoji of the Unicode set "recommended for general interchange". */
const EMOJI = /^\p{RGI_Emoji}$/v;

export const messageName = { ...roomName, id: field(id, 411) };

/** The input of PUT /api/message. */
export const messageEdit = z.object({
  ...messageName,
  content: field(z.string().regex(NOT_BLANK, "must not be blank"), "Two spaces it is."),
  expected: field(z.string().optional(), "What do you think of tabs?"),
});
export type MessageEdit = z.infer<typeof messageEdit>;

/** The input of PUT /api/reaction. */
export const givenReaction = z.object({
  ...messageName,
  emoji: field(
    z
      .string()
      .max(64)
      .refine((text) => EMOJI.test(text), "must be one emoji"),
    "👍",
  ),
  on: field(z.boolean(), true, "False takes the reaction back."),
});
export type GivenReaction = z.infer<typeof givenReaction>;

const MAX_TITLE_CHARS = 80;

const title = singleLine(MAX_TITLE_CHARS)
  .regex(NOT_BLANK, "must not be blank; null restores the default")
  .meta({ maxLength: MAX_TITLE_CHARS });

/** The input of PUT /api/room. */
export const roomUpdate = z.object({
  ...roomName,
  title: field(title.nullish(), "Tabs or spaces", "null: the beginning of the first message."),
  active_id: field(
    id.nullish(),
    null,
    "The message at which the path ends; null: the newest message.",
  ),
  answers: answersMode.optional(),
  talk: talkMode.optional(),
  souls: z
    .array(
      z.object({
        soul_id: id,
        version: field(
          z.int().min(1).nullable().default(null),
          4,
          "A version that you may read; null follows the soul.",
        ),
      }),
    )
    .max(100)
    .optional(),
  expected_revision: revision.optional(),
});
export type RoomUpdate = z.infer<typeof roomUpdate>;
export type ChosenSoul = NonNullable<RoomUpdate["souls"]>[number];
