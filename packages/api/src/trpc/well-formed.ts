import { invalidField } from "../errors.ts";

/** The deepest nesting of an input. Far deeper input would overflow the stack of JSON.stringify. */
const MAX_DEPTH = 32;
/** The largest number of values in an input. Objects, arrays and their members all count. */
const MAX_VALUES = 10_000;
/**
 * The longest `field` in an error, in characters. It needs a limit, because callers choose the
 * names in it.
 */
const MAX_PATH_CHARS = 200;

/** A value within an input, and its position in the input. */
interface Node {
  value: unknown;
  key: string;
  parent: Node | null;
  depth: number;
}

/**
 * Refuses input that no field may hold, on every transport:
 * - NUL, which PostgreSQL cannot store
 * - lone surrogates, which no encoding can carry
 * - the name `__proto__`
 * - more than {@link MAX_VALUES} values
 * - nesting deeper than {@link MAX_DEPTH}, where the body itself is depth 1
 * @throws HubError `invalid_input` (decisions §1)
 */
export function assertWellFormed(input: unknown): void {
  // Uses a stack instead of recursion, since deep input would overflow the call stack. Only errors
  // build a path, because paths for all elements of a wide array would need much memory.
  const stack: Node[] = [{ value: input, key: "", parent: null, depth: 1 }];
  let values = 1;
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { value, depth } = node;
    if (typeof value === "string") assertText(value, node);
    // The bytes of a file are no tree: its own reader checks them.
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) continue;
    if (depth > MAX_DEPTH) refuse(node, `is nested deeper than ${MAX_DEPTH} levels`);
    // The length of an array is checked first: Object.keys would make a string for each index.
    if (Array.isArray(value) && values + value.length > MAX_VALUES) refuseWide(node);
    const keys = Object.keys(value);
    values += keys.length;
    if (values > MAX_VALUES) refuseWide(node);
    for (const key of keys) {
      assertText(key, node);
      const child: Node = {
        value: (value as Record<string, unknown>)[key],
        key,
        parent: node,
        depth: depth + 1,
      };
      if (key === "__proto__") refuse(child, "is not allowed as a name");
      stack.push(child);
    }
  }
}

const [QUOTE, BACKSLASH] = ['"', "\\"].map((sign) => sign.charCodeAt(0));
/**
 * The characters that are counted to estimate the number of values in JSON text. A value adds at
 * most two: a comma before it, and its own opening bracket.
 */
const SEPARATORS = new Set([..."[{,"].map((sign) => sign.charCodeAt(0)));

/**
 * Refuses JSON text of too many values before it is parsed: JSON.parse takes 100 ms for 6 MB of
 * `[1,1,…]`. Text that is not JSON may pass; JSON.parse refuses it.
 * @throws HubError `invalid_input`
 */
export function assertFewValues(json: Buffer): void {
  // A value needs at least two bytes, with its separator. A text this short cannot hold too many
  // values.
  if (json.length <= 2 * MAX_VALUES) return;
  let values = 1;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] as number;
    if (sign === QUOTE) isText = !isText;
    else if (isText) at += sign === BACKSLASH ? 1 : 0;
    else if (SEPARATORS.has(sign) && ++values > 2 * MAX_VALUES) refuseWide(null);
  }
}

function assertText(text: string, node: Node): void {
  if (text.includes("\0")) refuse(node, "may not hold a NUL character");
  if (!text.isWellFormed()) refuse(node, "is not valid Unicode");
}

const refuseWide = (node: Node | null): never =>
  refuse(node, `holds more than ${MAX_VALUES.toLocaleString("en")} values`);

function refuse(node: Node | null, message: string): never {
  const keys: string[] = [];
  for (let at = node; at?.parent; at = at.parent) {
    keys.unshift(at.key.slice(0, MAX_PATH_CHARS));
  }
  const field = keys.join(".").slice(0, MAX_PATH_CHARS).toWellFormed();
  throw invalidField(field, message);
}

/** Returns whether a JSON value is an object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
