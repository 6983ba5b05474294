import { z } from "zod";
import { utcTime } from "../../fields.schema.ts";
import { MODEL_NAME } from "../models/model-name.schema.ts";

/** Providers that people can bring a key for (decisions §5, Model ids). */
export const provider = z
  .enum(["openai", "anthropic", "google", "openai-compatible"])
  .meta({ examples: ["openai"] });

const model = z.string().regex(MODEL_NAME, "must be the bare name of a model");

const MAX_KEY_CHARS = 2_000;
const MAX_URL_CHARS = 500;

/** What a save may change; what is left out stays as it is. */
export const keyChange = z.object({
  provider,
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .max(MAX_KEY_CHARS)
    .optional()
    .meta({
      description: "Needed the first time. Without it the stored key stays.",
      examples: ["sk-proj-4f1e9b7c"],
    }),
  text_model: model.nullish().meta({
    description: "null: the provider's usual one, if it has one.",
    examples: ["gpt-5-mini"],
  }),
  vision_model: model.nullish().meta({
    description: "For messages with an image; null: none.",
    examples: ["gpt-5-mini"],
  }),
  base_url: z
    .string()
    .max(MAX_URL_CHARS)
    .nullish()
    .meta({
      description: "For openai-compatible alone, at a host that the operator allows.",
      examples: [null],
    }),
  active: z
    .boolean()
    .default(true)
    .meta({
      description: "One provider is active at a time: the others then are not.",
      examples: [true],
    }),
});
export type KeyChange = z.infer<typeof keyChange>;

/** A stored key as its owner sees it; never the key itself. */
export const shownKey = z.object({
  provider,
  hint: z.string().meta({ description: "The key's last 4 characters.", examples: ["9b7c"] }),
  text_model: z
    .string()
    .nullable()
    .meta({ examples: ["gpt-5-mini"] }),
  vision_model: z
    .string()
    .nullable()
    .meta({ examples: ["gpt-5-mini"] }),
  base_url: z
    .string()
    .nullable()
    .meta({ examples: [null] }),
  active: z.boolean().meta({ examples: [true] }),
  created_at: utcTime,
});
