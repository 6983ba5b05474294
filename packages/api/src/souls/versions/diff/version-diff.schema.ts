import { z } from "zod";
import { field } from "../../../fields.schema.ts";
import { versionNumber } from "../../version/version.schema.ts";

/** The changes between two versions of a soul. */
export const versionDiff = z.object({
  from: versionNumber.describe("The number of the version before."),
  to: versionNumber.describe("The number of the version after."),
  differs_in: field(
    z.array(z.enum(["files", "fields", "file_order", "file_type", "json", "package"])),
    ["files", "fields"],
    "Empty if nothing changed. `json`: the same files in the same order, as other JSON. `package`: what an import brought beside `content`.",
  ),
  summary: field(z.string(), "1 file changed; title.", "`differs_in` as a sentence for people."),
  fields: z
    .array(
      z.object({
        name: field(z.enum(["title", "description", "role", "domain", "compatibility"]), "title"),
        before: field(z.string(), "The Reviewer"),
        after: field(z.string(), "The Patient Reviewer"),
      }),
    )
    .describe("The fields that differ."),
  files: z
    .array(
      z.object({
        name: field(z.string(), "SOUL.md", "One Markdown counts as SOUL.md."),
        state: field(z.enum(["same", "changed", "added", "removed"]), "changed"),
        added: field(z.int(), 1, "The number of added lines."),
        removed: field(z.int(), 1, "The number of removed lines."),
        is_whole: field(
          z.boolean(),
          false,
          "True if the files differ too much to be compared: all lines are removed and added.",
        ),
        unified: field(
          z.string(),
          "--- SOUL.md\n+++ SOUL.md\n@@ -1,1 +1,1 @@\n-You are quick.\n+You are patient.\n",
          "The change in unified format with three lines of context. Empty for an unchanged file.",
        ),
      }),
    )
    .describe("All files in the order of the version after, then the removed ones."),
});
