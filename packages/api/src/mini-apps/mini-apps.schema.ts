import { z } from "zod";
import { id } from "../fields.schema.ts";

// Specification §2, Mini app; the form and the detail by decisions §7.

/** The highest number that a form may ask for: every one is exact in any client's language. */
const MAX_NUMBER = 1_000_000_000;

const named = {
  name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  // No sign that means something where the message writes a label (form-message.ts).
  label: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ,'’-]{0,59}$/u),
  required: z.boolean(),
  placeholder: z.string().max(300),
  help: z.string().max(300),
};
const maxLength = z.int().min(1).max(20_000).meta({ description: "In characters." });
const wholeNumber = z.int().min(-MAX_NUMBER).max(MAX_NUMBER);

/** One field of a form. Its value is a text in every case; that of a number, a whole number's. */
export const miniAppField = z.discriminatedUnion("type", [
  z.strictObject({ ...named, type: z.literal("text"), max_length: maxLength }),
  z.strictObject({ ...named, type: z.literal("textarea"), max_length: maxLength }),
  z.strictObject({
    ...named,
    type: z.literal("select"),
    options: z.array(z.string().trim().min(1).max(80)).min(2).max(30),
  }),
  z.strictObject({ ...named, type: z.literal("number"), min: wholeNumber, max: wholeNumber }),
]);

export type MiniAppField = z.infer<typeof miniAppField>;

export const miniAppEntry = z.object({
  slug: z.string().meta({ examples: ["code-review"] }),
  icon: z.string().meta({ description: "An icon class name.", examples: ["icon-code"] }),
  category: z.string().meta({ description: "A category slug." }),
  title: z.string(),
  description: z.string(),
  badge: z.string().meta({ description: "A word or two beside the title; may be empty." }),
  field_count: z.int(),
  search_keywords: z
    .string()
    .meta({ description: "The theme keywords, with a space between.", examples: ["law legal"] }),
});

export const miniAppDetail = miniAppEntry.extend({
  fields: z.array(miniAppField),
  souls: z.array(z.object({ id, title: z.string(), description: z.string() })).meta({
    description: "Public souls that match a theme keyword, at most 50, most liked first.",
  }),
});

/** What somebody has filled in: text by field name. Which names there are, the app says. */
export const filledIn = z
  .record(z.string(), z.string())
  .meta({ examples: [{ language: "TypeScript", code: "let x = 1" }] });
