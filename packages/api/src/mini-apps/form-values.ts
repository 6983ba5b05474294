import { type FailureDetail, HubError } from "../errors.ts";
import { isLongerThan, notBlank } from "../fields.schema.ts";
import type { MiniAppField } from "./mini-apps.schema.ts";

/** A field with what was filled in: one line, or several where the field is a textarea. */
export interface FilledField {
  label: string;
  lines: readonly string[];
  isLong: boolean;
}

/**
 * Checks what was filled in against the form, in the form's order; empty optional fields are left
 * out (decisions §7).
 * @throws HubError `invalid_input` with one entry for every field that is wrong
 */
export function readForm(
  fields: readonly MiniAppField[],
  given: Readonly<Record<string, string>>,
): FilledField[] {
  const values = new Map(Object.entries(given));
  const details: FailureDetail[] = [];
  const refuse = (name: string, message: string) =>
    details.push({ field: `fields.${name}`, message });

  const filled = fields.flatMap((field): FilledField[] => {
    const lines = linesOf(field, values.get(field.name) ?? "");
    values.delete(field.name);
    if (lines.length === 0) {
      if (field.required) refuse(field.name, "is required");
      return [];
    }
    const wrong = whatIsWrong(field, lines.join("\n"));
    if (wrong) refuse(field.name, wrong);
    return [{ label: field.label, lines: clean(field, lines), isLong: field.type === "textarea" }];
  });
  for (const name of values.keys()) refuse(name, "is no field of this mini app");

  if (details.length > 0) throw new HubError("invalid_input", { details });
  return filled;
}

/** Everything that some reader takes for the end of a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
/** The control characters, without the tab: invisible, and some programs obey them. */
const CONTROL = /[^\P{Cc}\t]/gu;

/** The value's lines without empty ones around them; of a field of one line, that line. */
function linesOf({ type }: MiniAppField, value: string): string[] {
  const lines = value.split(LINE_BREAK).map((line) => line.replaceAll(CONTROL, " "));
  if (type !== "textarea") {
    const line = lines.join(" ").trim().replaceAll(/\s+/g, " ");
    return line === "" ? [] : [line];
  }
  const first = lines.findIndex(notBlank);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(notBlank) + 1);
}

function whatIsWrong(field: MiniAppField, text: string): string | null {
  switch (field.type) {
    case "select":
      return field.options.includes(text) ? null : `must be one of: ${field.options.join(" | ")}`;
    case "number": {
      const isWhole = /^-?\d{1,15}$/.test(text);
      const isInRange = isWhole && Number(text) >= field.min && Number(text) <= field.max;
      return isInRange ? null : `must be a whole number from ${field.min} to ${field.max}`;
    }
    default:
      return isLongerThan(field.max_length, text)
        ? `may have at most ${field.max_length} characters`
        : null;
  }
}

/** `007` is 7, and `-0` is 0. */
const clean = ({ type }: MiniAppField, lines: string[]): string[] =>
  type === "number" ? lines.map((line) => String(Number(line))) : lines;
