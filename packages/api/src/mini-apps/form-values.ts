import { oneLine } from "@soul-hub/soul-formats";
import { type FailureDetail, HubError } from "../errors.ts";
import { isLongerThan, notBlank } from "../fields.schema.ts";
import type { MiniAppField } from "./mini-apps.schema.ts";

/** A submitted field of a form. Only a textarea has several lines. */
export interface FilledField {
  label: string;
  lines: readonly string[];
  isMultiline: boolean;
}

/**
 * Validates submitted values against the fields of a form (decisions §7).
 * @param given values by field name
 * @returns the fields in the order of the form, without empty optional ones
 * @throws HubError `invalid_input` with one entry in `details` per invalid field
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
    const problem = problemOf(field, lines.join("\n"));
    if (problem) refuse(field.name, problem);
    const isMultiline = field.type === "textarea";
    // A number is normalized: `007` becomes `7`.
    const clean = field.type === "number" ? [String(Number(lines[0]))] : lines;
    return [{ label: field.label, lines: clean, isMultiline }];
  });
  for (const name of values.keys()) refuse(name, "is not a field of this mini app");

  if (details.length > 0) throw new HubError("invalid_input", { details });
  return filled;
}

/** All characters that Unicode or a program treats as a line break. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
/** Control characters except tab, which are invisible. Terminals execute some of them. */
const CONTROL = /[^\P{Cc}\t]/gu;

/**
 * Returns the lines of a textarea's value, without blank lines at both ends. The value of any other
 * field becomes one line.
 */
function linesOf({ type }: MiniAppField, value: string): string[] {
  if (type !== "textarea") {
    const line = oneLine(value);
    return line === "" ? [] : [line];
  }
  const lines = value.split(LINE_BREAK).map((line) => line.replaceAll(CONTROL, " "));
  const first = lines.findIndex(notBlank);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(notBlank) + 1);
}

/** Validates the value of one field. @returns the error message, or null if the value is valid */
function problemOf(field: MiniAppField, text: string): string | null {
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
