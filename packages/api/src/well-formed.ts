import { HubError } from "./errors.ts";

/** Deeper bodies are refused: code that walks them, JSON.stringify above all, would run out of stack. */
const MAX_DEPTH = 32;
/** Of a field's path in a failure: the caller chose the names in it. */
const MAX_PATH_CHARS = 200;

/** A value on its way, with where it came from. */
interface Place {
  value: unknown;
  key: string;
  parent: Place | null;
  depth: number;
}

/**
 * Refuses what no field may hold, whichever door it came through (decisions §1, `invalid_input`):
 * NUL, which PostgreSQL cannot store, lone surrogates, which no encoding can carry, the name
 * `__proto__`, and nesting deeper than {@link MAX_DEPTH}. The body itself is depth 1.
 */
export function assertWellFormed(input: unknown): void {
  // A stack of its own: a recursive walk is what a deep body wants to break. And no paths on the
  // way: a long name above a wide array would be copied for each of its elements.
  const waiting: Place[] = [{ value: input, key: "", parent: null, depth: 1 }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { value, depth } = place;
    if (typeof value === "string") assertText(value, place);
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH) refuse(place, `is nested deeper than ${MAX_DEPTH} levels`);
    for (const key of Object.keys(value)) {
      assertText(key, place);
      const inner: Place = {
        value: (value as Record<string, unknown>)[key],
        key,
        parent: place,
        depth: depth + 1,
      };
      if (key === "__proto__") refuse(inner, "is not allowed as a name");
      waiting.push(inner);
    }
  }
}

function assertText(text: string, place: Place): void {
  if (text.includes("\0")) refuse(place, "may not hold a NUL character");
  if (!text.isWellFormed()) refuse(place, "is not valid Unicode");
}

function refuse(place: Place, message: string): never {
  const keys: string[] = [];
  for (let at: Place | null = place; at?.parent; at = at.parent) {
    keys.unshift(at.key.slice(0, MAX_PATH_CHARS));
  }
  const field = keys.join(".").slice(0, MAX_PATH_CHARS).toWellFormed();
  throw new HubError("invalid_input", { details: [{ field, message }] });
}
