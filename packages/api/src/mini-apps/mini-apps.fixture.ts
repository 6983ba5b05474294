import type { MiniAppField } from "./mini-apps.schema.ts";

/** Returns valid values for a form: placeholders, the first option, or the smallest number. */
export const exampleValues = (fields: readonly MiniAppField[]): Record<string, string> =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.type === "select"
        ? (field.options[0] ?? "")
        : field.placeholder || (field.type === "number" ? String(field.min) : "An answer"),
    ]),
  );

export interface ParsedMessage {
  title: string;
  request: string;
  fields: { label: string; text: string }[];
}

/**
 * Parses a message of `formMessage` by the markers at the starts of its lines.
 * @throws Error for a line without a known marker
 */
export function parseMessage(content: string): ParsedMessage {
  const [title = "", , request = "", , ...lines] = content.split("\n");
  const fields: ParsedMessage["fields"] = [];
  let quotes: string[] | null = null;
  for (const line of lines) {
    const [, label, text] = /^- \*\*([^*:]+):\*\*(?: (.*))?$/.exec(line) ?? [];
    const [isQuote, quote] = /^ {2}>(?: (.*))?$/.exec(line) ?? [];
    if (label !== undefined) {
      quotes = text === undefined ? [] : null;
      fields.push({ label, text: text ?? "" });
    } else if (isQuote !== undefined && quotes) {
      quotes.push(quote ?? "");
      fields[fields.length - 1] = { label: fields.at(-1)?.label ?? "", text: quotes.join("\n") };
    } else throw new Error(`unknown line: ${JSON.stringify(line)}`);
  }
  return { title: title.replace(/^\*\*(.*)\*\*$/, "$1"), request, fields };
}
