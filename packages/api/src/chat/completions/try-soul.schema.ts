import { z } from "zod";
import { field, notBlank } from "../../fields.schema.ts";
import { replyQuota } from "../../quota/quota.schema.ts";
import { soulFields } from "../../souls/souls.schema.ts";
import { madeBy } from "../made-by.schema.ts";

/** As many earlier messages as a prompt contains (decisions §5, Memory). */
const MAX_MESSAGES = 20;

const words = (example: string, description?: string) =>
  field(z.string().refine(notBlank, "may not be empty"), example, description);

/** Input of POST /api/try: the texts of a soul, and a conversation that only the caller has. */
export const soulTry = z.object({
  soul: z.object({
    title: soulFields.title,
    description: soulFields.description.default(""),
    content: soulFields.content,
    from_card: field(
      z.boolean().default(false),
      false,
      "True replaces the macros of character cards, as in a soul that came from one.",
    ),
  }),
  messages: z
    .array(
      z.object({
        role: field(z.enum(["user", "assistant"]), "user"),
        content: words("Hello."),
      }),
    )
    .max(MAX_MESSAGES)
    .default([])
    .describe("The conversation before, oldest first."),
  content: words("What do you think of tabs?", "Your plan limits its length."),
});
export type SoulTry = z.infer<typeof soulTry>;

/** Output of POST /api/try. */
export const triedReply = z.object({
  reply: field(z.string(), "Two spaces, and peace in the team."),
  sender_name: field(z.string(), "The Patient Reviewer", "The soul's title."),
  made_by: z.object({
    ...madeBy.shape,
    soul_id: field(z.null(), null, "The soul is not saved."),
    version: field(z.null(), null, "The text has no version yet."),
  }),
  quota: replyQuota,
});
