import { filesOf, isFileName, joinFiles, MAX_FILES } from "../soul-files.ts";
import type { SoulTexts } from "../soul-state.ts";
import { unusedNumber } from "../text.ts";

const BEGIN_FILE = /^<!-- BEGIN FILE (\d{6}) ([\w.-]+) -->\n/;
const BEGIN_CONTENT = /^<!-- BEGIN CONTENT (\d{6}) -->\n/;

/**
 * Writes a soul's content as one Markdown. The files of a folder stand between numbered fences, so
 * that they split again.
 */
export function toMarkdown({
  content,
  file_type,
}: Pick<SoulTexts, "content" | "file_type">): string {
  const plain =
    file_type === "single_md" ? content : fenced(Object.entries(filesOf({ content, file_type })));
  if (fromMarkdown(plain) === content) return plain;
  const number = unusedNumber([content], content);
  return `<!-- BEGIN CONTENT ${number} -->\n${content}\n<!-- END CONTENT ${number} -->\n`;
}

function fenced(files: readonly (readonly [string, string])[]): string {
  const texts = files.map(([, text]) => text);
  const number = unusedNumber(texts, texts.join("\n"));
  return files
    .map(
      ([name, text]) =>
        `<!-- BEGIN FILE ${number} ${name} -->\n${text}\n<!-- END FILE ${number} -->\n`,
    )
    .join("");
}

/** Reads the content of a soul from a Markdown, which may hold fences of {@link toMarkdown}. */
export function fromMarkdown(markdown: string): string {
  const [whole, number] = BEGIN_CONTENT.exec(markdown) ?? [];
  if (whole !== undefined) {
    const end = `\n<!-- END CONTENT ${number} -->\n`;
    if (markdown.indexOf(end, whole.length - 1) === markdown.length - end.length) {
      return markdown.slice(whole.length, -end.length);
    }
  }
  const files = splitFiles(markdown);
  return files ? joinFiles(files) : markdown;
}

function splitFiles(markdown: string): [string, string][] | null {
  const files = new Map<string, string>();
  let rest = markdown;
  let number: string | undefined;
  while (rest !== "") {
    const begin = BEGIN_FILE.exec(rest);
    const name = begin?.[2] ?? "";
    number ??= begin?.[1];
    if (!begin || begin[1] !== number || !isFileName(name)) return null;
    if (files.has(name) || files.size === MAX_FILES) return null;
    const end = `\n<!-- END FILE ${number} -->\n`;
    // An empty file's end follows its begin directly.
    const at = rest.indexOf(end, begin[0].length - 1);
    if (at < 0) return null;
    files.set(name, rest.slice(begin[0].length, Math.max(at, begin[0].length)));
    rest = rest.slice(at + end.length);
  }
  return files.size > 0 ? [...files] : null;
}
