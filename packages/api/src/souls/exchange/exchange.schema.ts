import { z } from "zod";
import { field, flag, id } from "../../fields.schema.ts";
import { expectedHash, storedText } from "../souls.schema.ts";

/** The input of POST /api/souls/import. */
export const soulImport = z.object({
  file: z.custom<Uint8Array>((file) => file instanceof Uint8Array),
  dry_run: flag("1", "1: says what the import would do, and changes nothing."),
  soul_id: field(
    id.optional(),
    1,
    "Makes the file the next version of this soul of yours. Nothing changed: no version.",
  ),
  is_public: flag("0", "1: publishes a new soul."),
  expected_sha256: expectedHash,
});
export type SoulImport = z.infer<typeof soulImport>;

/** The soul that an import would make. */
export const importPreview = z.object({
  title: storedText.title,
  content: storedText.content,
  character: field(
    z.string().nullable(),
    "Orla",
    "What replaces `{{char}}` in prompts. Null: the file is no card, and its macros stay.",
  ),
});
