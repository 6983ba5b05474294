import type { MiniApp } from "./catalogue.ts";
import type { FilledField } from "./form-values.ts";

/**
 * Formats a submitted form as a Markdown message: title, request, and a list of the fields.
 *
 * The text of a field cannot forge this structure (decisions §7). A line with `- **` starts a
 * field, and each line of a textarea's value starts with `  >`. All other values are one line and
 * follow their label. Every line of a list item or quote has its marker, so a Markdown renderer
 * shows the same structure.
 */
export function formMessage({ entry, request }: MiniApp, filled: readonly FilledField[]): string {
  return [`**${entry.title}**`, "", request, "", ...filled.flatMap(fieldLines)].join("\n");
}

function fieldLines({ label, lines, isMultiline }: FilledField): string[] {
  const head = `- **${label}:**`;
  return isMultiline ? [head, ...lines.map(quoted)] : lines.map((line) => `${head} ${line}`);
}

const quoted = (line: string) => (line === "" ? "  >" : `  > ${line}`);
