import { z } from "zod";
import { id } from "../fields.schema.ts";
import { storedText } from "../souls/souls.schema.ts";

// Specification §2, Mini app; the form and the detail by decisions §7.

/** The highest number that a form may ask for: every one is exact in any client's language. */
const MAX_NUMBER = 1_000_000_000;

const named = {
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/)
    .meta({ examples: ["code"] }),
  // No sign that means something where the message writes a label (form-message.ts).
  label: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} ,'’-]{0,59}$/u)
    .meta({ examples: ["Code"] }),
  required: z.boolean().meta({ examples: [true] }),
  placeholder: z
    .string()
    .max(300)
    .meta({ examples: ["const shares = split(total, people);"] }),
  help: z
    .string()
    .max(300)
    .meta({ examples: ["The part that worries you will do."] }),
};
const maxLength = z
  .int()
  .min(1)
  .max(20_000)
  .meta({ description: "In characters.", examples: [6_000] });
const wholeNumber = z
  .int()
  .min(-MAX_NUMBER)
  .max(MAX_NUMBER)
  .meta({ examples: [100] });

/** One field of a form. Its value is a text in every case; that of a number, a whole number's. */
export const miniAppField = z.discriminatedUnion("type", [
  z.strictObject({ ...named, type: z.literal("text"), max_length: maxLength }),
  z.strictObject({ ...named, type: z.literal("textarea"), max_length: maxLength }),
  z.strictObject({
    ...named,
    type: z.literal("select"),
    options: z
      .array(z.string().trim().min(1).max(80))
      .min(2)
      .max(30)
      .meta({ examples: [["White", "Black"]] }),
  }),
  z.strictObject({ ...named, type: z.literal("number"), min: wholeNumber, max: wholeNumber }),
]);

export type MiniAppField = z.infer<typeof miniAppField>;

export const miniAppEntry = z.object({
  slug: z.string().meta({ examples: ["code-review"] }),
  icon: z.string().meta({ description: "An icon class name.", examples: ["icon-code"] }),
  category: z
    .string()
    .meta({ description: "A category slug.", examples: ["software-engineering"] }),
  title: z.string().meta({ examples: ["Code Review"] }),
  description: z.string().meta({ examples: ["Hand over a function, a file or a diff."] }),
  badge: z
    .string()
    .meta({ description: "A word or two beside the title; may be empty.", examples: ["Paste in"] }),
  field_count: z.int().meta({ examples: [3] }),
  search_keywords: z.string().meta({
    description: "The theme keywords, with a space between.",
    examples: ["code programming software"],
  }),
});

export const miniAppDetail = miniAppEntry.extend({
  fields: z.array(miniAppField),
  souls: z
    .array(z.object({ id, title: storedText.title, description: storedText.description }))
    .meta({
      description:
        "Public souls without an NFT gate that match a theme keyword, at most 50, most liked first.",
    }),
});

/** What somebody has filled in: text by field name. Which names there are, the app says. */
export const filledIn = z.record(z.string(), z.string()).meta({
  description: "Text by field name. Which fields there are, `GET /api/apps?slug=…` says.",
  examples: [
    { language: "TypeScript", purpose: "Split a bill", code: "const share = total / people;" },
  ],
});
