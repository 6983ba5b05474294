import type { MiniApp } from "./catalogue.ts";
import type { FilledField } from "./form-values.ts";

/**
 * The chat message of a filled-in form, as Markdown: title, request, and a list of the fields.
 *
 * A field's text can't forge this structure (decisions §7), because the beginning of a line says
 * what the line is: `- **` begins a field, and `  >` goes on with the one before. Every line of a
 * text that may have several gets that mark; every other text is one line and stands behind its
 * label. So it reads the same to a program, to a model and in Markdown, where a list item and a
 * quote end no later than their own lines do.
 */
export function formMessage({ entry, request }: MiniApp, filled: readonly FilledField[]): string {
  return [`**${entry.title}**`, "", request, "", ...filled.flatMap(fieldLines)].join("\n");
}

function fieldLines({ label, lines, isLong }: FilledField): string[] {
  const head = `- **${label}:**`;
  return isLong ? [head, ...lines.map(quoted)] : lines.map((line) => `${head} ${line}`);
}

const quoted = (line: string) => (line === "" ? "  >" : `  > ${line}`);
