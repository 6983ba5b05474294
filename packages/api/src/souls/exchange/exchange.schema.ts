import { z } from "zod";
import { field, id } from "../../fields.schema.ts";
import { expectedHash } from "../souls.schema.ts";

/** A query parameter that is 1 or 0. */
const flag = (example: "0" | "1", description: string) =>
  field(z.enum(["0", "1", "false", "true"]).default("0"), example, description).transform(
    (text) => text === "1" || text === "true",
  );

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
