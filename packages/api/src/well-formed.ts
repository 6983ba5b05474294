import { HubError } from "./errors.ts";

/** Deeper bodies are refused: code that walks them, JSON.stringify above all, would run out of stack. */
const MAX_DEPTH = 32;

/**
 * Refuses what no field may hold, whichever door it came through (decisions §1, `invalid_input`):
 * NUL, which PostgreSQL cannot store, lone surrogates, which no encoding can carry, and nesting
 * deeper than {@link MAX_DEPTH}. The body itself is depth 1.
 */
export function assertWellFormed(input: unknown): void {
  // A stack of its own: a recursive walk is what a deep body wants to break.
  const waiting: Array<{ value: unknown; field: string; depth: number }> = [
    { value: input, field: "", depth: 1 },
  ];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    const { value, field, depth } = item;
    if (typeof value === "string") assertText(value, field);
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH) refuse(field, `is nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, inner] of Object.entries(value)) {
      assertText(key, field);
      const name = Array.isArray(value) || field ? `${field}.${key}` : key;
      waiting.push({ value: inner, field: name.replace(/^\./, ""), depth: depth + 1 });
    }
  }
}

function assertText(text: string, field: string): void {
  if (text.includes("\0")) refuse(field, "may not hold a NUL character");
  if (!text.isWellFormed()) refuse(field, "is not valid Unicode");
}

function refuse(field: string, message: string): never {
  throw new HubError("invalid_input", { details: [{ field, message }] });
}
