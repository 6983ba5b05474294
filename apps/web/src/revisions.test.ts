import { expect, it } from "vitest";
import type { Soul, SoulVersion } from "./queries.ts";
import { revisionsOf } from "./revisions.ts";

const soul = { updated_at: "2026-01-02 00:00:00" } as Soul;
const fileTypeOf = (content: string) => {
  const version = { content, edited_at: "2026-01-01 00:00:00" } as SoulVersion;
  return revisionsOf(soul, [version])[1]?.file_type;
};

it.each([
  ['{ "SOUL.md": "Dry.", "STYLE.md": "Short." }', "full_soul_folder"],
  ["You speak in braces.", "single_md"],
  ["{name} speaks in braces.", "single_md"],
  ['{ "tone": "dry" }', "single_md"],
  ['{ "SOUL.md": { "tone": "dry" } }', "single_md"],
  ["{}", "single_md"],
  ["null", "single_md"],
  ['["SOUL.md"]', "single_md"],
])("a version with the content %s is a %s", (content, fileType) => {
  expect(fileTypeOf(content)).toBe(fileType);
});
