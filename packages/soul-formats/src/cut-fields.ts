import type { ImportedSoul, ImportWarning } from "./soul-state.ts";
import { cut, oneLine } from "./text.ts";

type Fields = ImportedSoul["fields"];

/** The longest values in characters (decisions §2). */
const limits = { title: 120, description: 2_000, role: 100, domain: 100, compatibility: 100 };

/**
 * Brings the fields of a file into the form in which a soul stores them. A title or role
 * that is empty then counts as absent. A field that loses something gets a warning.
 */
export function cutFields(given: Fields, at: string, warnings: ImportWarning[]): Fields {
  const fields: Fields = {};
  for (const name of Object.keys(limits) as (keyof Fields)[]) {
    const text = given[name];
    if (text === undefined) continue;
    const storable = text.toWellFormed().replaceAll("\0", "");
    if (storable !== text) {
      const message = `has a ${name} with a NUL or half of a surrogate pair, which is left out`;
      warnings.push({ path: at, message });
    }
    const whole = normalField(name, storable);
    const short = cut(whole, limits[name]);
    const value = name === "description" ? short : short.trim();
    if (value.length < whole.length) {
      warnings.push({
        path: at,
        message: `has a ${name} of more than ${limits[name]} characters, which is cut`,
      });
    }
    if (value !== "" || (name !== "title" && name !== "role")) fields[name] = value;
  }
  return fields;
}

/** Every field but the description is one line. */
function normalField(name: keyof Fields, text: string): string {
  if (name === "description") return text;
  return name === "domain" ? oneLine(text).toLowerCase() : oneLine(text);
}

/** The title of a soul whose file names none, in the form in which a soul stores it. */
export const titleFrom = (text: string, otherwise: string): string =>
  cutFields({ title: text }, "", []).title ?? otherwise;
