import { z } from "zod";
import { field, utcTime } from "../../fields.schema.ts";
import { MODEL_NAME } from "../chat.schema.ts";

/** The providers that accept keys of accounts (decisions §5, Routing). */
export const provider = field(
  z.enum(["openai", "anthropic", "google", "openai-compatible"]),
  "openai",
);

const model = z.string().regex(MODEL_NAME, "must be a model name without provider");

const MAX_KEY_CHARS = 2_000;
const MAX_URL_CHARS = 500;

/** The input of `byok.save`. Omitted fields keep their stored values. */
export const keyChange = z.object({
  provider,
  api_key: field(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
      .max(MAX_KEY_CHARS)
      .optional(),
    "sk-proj-4f1e9b7c",
    "Required for a new entry. Without it the stored key is kept.",
  ),
  text_model: field(
    model.nullish(),
    "gpt-5-mini",
    "null: the provider's default, if there is one.",
  ),
  vision_model: field(
    model.nullish(),
    "gpt-5-mini",
    "For messages with an image. null: no images.",
  ),
  base_url: field(
    z.string().max(MAX_URL_CHARS).nullish(),
    null,
    "For openai-compatible only, at a host that the operator allows.",
  ),
  active: field(
    z.boolean().default(true),
    true,
    "One provider is active at a time. true deactivates the others.",
  ),
});
export type KeyChange = z.infer<typeof keyChange>;

const shownModel = field(z.string().nullable(), "gpt-5-mini");

/** A stored key in a response, without the key itself. */
export const shownKey = z.object({
  provider,
  hint: field(z.string(), "9b7c", "The key's last 4 characters."),
  text_model: shownModel,
  vision_model: shownModel,
  base_url: field(z.string().nullable(), null),
  active: field(z.boolean(), true),
  created_at: utcTime,
});
shownKey.register(z.globalRegistry, { id: "ProviderKey" });
