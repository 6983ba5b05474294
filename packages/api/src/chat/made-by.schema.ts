import { z } from "zod";
import { field, id } from "../fields.schema.ts";

const tokens = z.int().min(0).nullable();

/** What made a reply (0038). */
export const madeBy = z.object({
  soul_id: id,
  version: field(id, 4, "The version of the soul when the model was called."),
  model: field(z.string(), "openai:gpt-5-mini", "`provider:model`, or `offline`."),
  tokens_in: field(tokens, 1_830, "Tokens of the prompt; null if the provider told none."),
  tokens_out: field(tokens, 41, "Tokens of the reply; null if the provider told none."),
  summary_version: field(
    id.nullable(),
    3,
    "The version of the summary in the prompt; null if it contained none.",
  ),
  lines: field(z.int().min(0), 12, "Number of earlier messages in the prompt."),
  edited_by: field(z.string().nullable(), null, "Name of the person who edited the reply."),
});
madeBy.register(z.globalRegistry, { id: "MadeBy" });
