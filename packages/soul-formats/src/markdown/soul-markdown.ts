import { cutFields, titleFrom } from "../cut-fields.ts";
import { member, textMember } from "../json/read-json.ts";
import { filesOf, fileTypeOf } from "../soul-files.ts";
import type { ExportNames, ImportedSoul, ImportWarning, SoulTexts } from "../soul-state.ts";
import {
  assertStorable,
  bytesOf,
  cut,
  firstHeading,
  isZip,
  looksLikeJson,
  oneLine,
  sha256,
} from "../text.ts";
import { fromMarkdown, toMarkdown } from "./file-fences.ts";
import { splitFrontMatter, withFrontMatter } from "./front-matter.ts";

/** Where a Markdown is kept whose front matter is not part of the content. */
const ORIGINAL = "imported/original.md";
const MAX_SKILL_DESCRIPTION = 1_024;
const MAX_SKILL_NAME = 64;
const OWN = "soul-hub";
/** The fields of a Cursor rule that carry nothing. */
const CURSOR_FIELDS = new Set(["description", "alwaysApply"]);

/** One Markdown with a soul's content: for CLAUDE.md, AGENTS.md and the like. */
export function markdownOf(soul: SoulTexts): string {
  const markdown = toMarkdown(soul);
  // Content that begins like front matter would lose it. Content like JSON or a zip is no Markdown.
  const isAmbiguous =
    splitFrontMatter(markdown) !== null || looksLikeJson(markdown) || isZip(bytesOf(markdown));
  return isAmbiguous ? withFrontMatter({ [OWN]: "content follows" }, markdown) : markdown;
}

/** A skill: front matter with name and description, then the content. */
export function skillOf(soul: SoulTexts, names: ExportNames): string {
  const description = cut(shortDescription(soul), MAX_SKILL_DESCRIPTION);
  const name = names.slug.slice(0, MAX_SKILL_NAME).replace(/-+$/, "");
  const metadata = { [OWN]: `${names.id} ${mark(description)}` };
  return withFrontMatter({ name, description, metadata }, toMarkdown(soul));
}

/** A rule of Cursor that always applies. */
export const cursorRuleOf = (soul: SoulTexts): string =>
  withFrontMatter({ description: shortDescription(soul), alwaysApply: true }, toMarkdown(soul));

const shortDescription = ({ description, title }: SoulTexts) =>
  oneLine(description) || oneLine(title);
/** Recognises a description that nobody changed since the export. */
const mark = (description: string) => sha256(description).slice(0, 12);

/**
 * Reads a Markdown or rule file as a soul.
 * @throws FormatError
 */
export function soulOfMarkdown(markdown: string): ImportedSoul {
  const warnings: ImportWarning[] = [];
  const split = splitFrontMatter(markdown);
  const content = assertStorable(fromMarkdown(split?.body ?? markdown), "");
  const file_type = fileTypeOf(content);
  const [main = ""] = Object.values(filesOf({ content, file_type }));
  const name = split ? textMember(split.fields, "name") : "";
  const bytes = bytesOf(markdown);
  const isKept = split !== null && !isOwn(split.fields);
  return {
    format: "md",
    content,
    file_type,
    fields: split ? readFields(split.fields, warnings) : {},
    fallbackTitle: titleFrom(firstHeading(main) ?? name, "Imported soul"),
    package: isKept ? [{ path: ORIGINAL, bytes }] : [],
    files: [{ path: "", bytes, kept: "content" }],
    warnings,
  };
}

function readFields(fields: object, warnings: ImportWarning[]): ImportedSoul["fields"] {
  const title = textMember(fields, "title");
  const description = textMember(fields, "description");
  const known = textMember(member(fields, "metadata"), OWN).split(" ")[1];
  const isUnchanged = known === mark(description);
  return cutFields(
    { ...(title ? { title } : {}), ...(description && !isUnchanged ? { description } : {}) },
    "",
    warnings,
  );
}

/** Reports whether front matter holds nothing but what an export of this hub writes. */
const isOwn = (fields: object): boolean =>
  Object.hasOwn(fields, OWN) ||
  textMember(member(fields, "metadata"), OWN) !== "" ||
  Object.keys(fields).every((name) => CURSOR_FIELDS.has(name));
