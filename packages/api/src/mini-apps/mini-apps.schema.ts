import { z } from "zod";
import { field, id } from "../fields.schema.ts";
import { storedText } from "../souls/souls.schema.ts";

// Schemas of mini apps (specification §2, Mini app) and of their forms (decisions §7, Mini apps).

export const slug = field(z.string(), "code-review");

/** The largest value of a number field fits in a 32-bit integer. */
const MAX_NUMBER = 1_000_000_000;

const named = {
  name: field(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), "code"),
  // A label has no Markdown and no colon, because a colon ends the label in the message
  // (form-message.ts). The published schema has no pattern for labels. Many validators do not set
  // the `u` flag that \p{L} needs.
  label: field(
    z
      .string()
      .max(60)
      .refine((text) => /^[\p{L}\p{N}][\p{L}\p{N} ,'’-]*$/u.test(text)),
    "Code",
  ),
  required: field(z.boolean(), true),
  placeholder: field(z.string().max(300), "const shares = split(total, people);"),
  help: field(z.string().max(300), "A part of it is enough."),
};
const maxLength = field(z.int().min(1).max(20_000), 6_000, "In characters.");
const wholeNumber = field(z.int().min(-MAX_NUMBER).max(MAX_NUMBER), 100);

/** One field of a form. Every value is submitted as text; a number is a decimal integer. */
export const miniAppField = z.discriminatedUnion("type", [
  z.strictObject({ ...named, type: z.literal("text"), max_length: maxLength }),
  z.strictObject({ ...named, type: z.literal("textarea"), max_length: maxLength }),
  z.strictObject({
    ...named,
    type: z.literal("select"),
    options: field(z.array(z.string().trim().min(1).max(80)).min(2).max(30), ["White", "Black"]),
  }),
  z.strictObject({ ...named, type: z.literal("number"), min: wholeNumber, max: wholeNumber }),
]);

export type MiniAppField = z.infer<typeof miniAppField>;

export const miniAppEntry = z.object({
  slug,
  icon: field(z.string(), "icon-code", "An icon class name."),
  category: field(z.string(), "software-engineering", "A category slug."),
  title: field(z.string(), "Code Review"),
  description: field(z.string(), "Hand over a function, a file or a diff."),
  badge: field(z.string(), "Paste in", "One or two words next to the title; may be empty."),
  field_count: field(z.int(), 3),
  search_keywords: field(
    z.string(),
    "code programming software",
    "Theme keywords, separated by spaces.",
  ),
});

export const miniAppDetail = miniAppEntry.extend({
  fields: z.array(miniAppField),
  souls: z
    .array(z.object({ id, title: storedText.title, description: storedText.description }))
    .describe(
      "Public souls without an NFT gate that match a theme keyword, at most 50, most liked first.",
    ),
});

/** Submitted values by field name. `readForm` validates the names. */
export const formValues = field(
  z.record(z.string(), z.string()),
  { language: "TypeScript", purpose: "Split a bill", code: "const share = total / people;" },
  "Text by field name. `GET /api/apps?slug=…` lists the fields of an app.",
);
