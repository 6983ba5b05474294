/** A range of a JSON text: from its first character to the one after its last. */
export interface JsonRange {
  start: number;
  end: number;
}

interface JsonMember extends JsonRange {
  name: string;
}

const SPACE = /\s/;

// These functions read a text that JSON.parse has accepted. They find where values stand, so that
// one value can be replaced and every other character stays as it is.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function skipSpace(text: string, at: number): number {
  let next = at;
  while (SPACE.test(text[next] ?? "")) next++;
  return next;
}

/** Returns the place after a string that begins at `at`. */
function afterString(text: string, at: number): number {
  let next = at + 1;
  while (text.charCodeAt(next) !== QUOTE) next += text.charCodeAt(next) === BACKSLASH ? 2 : 1;
  return next + 1;
}

/** Returns the place after a value that begins at `at`, without recursion. */
function afterValue(text: string, at: number): number {
  if (text[at] === '"') return afterString(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    let next = at;
    while (next < text.length && !/[\s,\]}]/.test(text[next] as string)) next++;
    return next;
  }
  let depth = 0;
  let next = at;
  do {
    const sign = text.charCodeAt(next);
    if (sign === QUOTE) {
      next = afterString(text, next);
      continue;
    }
    // The codes of [ and ], and of { and }.
    if (sign === 0x5b || sign === 0x7b) depth++;
    else if (sign === 0x5d || sign === 0x7d) depth--;
    next++;
  } while (depth > 0);
  return next;
}

/** The object that is the whole text. Its end is not looked for. */
export const wholeValue = (text: string): JsonRange => ({
  start: skipSpace(text, 0),
  end: text.length,
});

/** Lists the members of the object at a range. */
export function* membersAt(text: string, { start }: JsonRange): Generator<JsonMember> {
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const colon = skipSpace(text, nameEnd);
    const value = skipSpace(text, colon + 1);
    const end = afterValue(text, value);
    yield { name, start: value, end };
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/** Finds a member of the object at a range. Of two with the same name the last counts. */
export function memberAt(text: string, object: JsonRange, name: string): JsonRange | undefined {
  let found: JsonRange | undefined;
  for (const member of membersAt(text, object)) if (member.name === name) found = member;
  return found;
}

/** Lists the items of the array at a range. */
export function* itemsAt(text: string, { start, end }: JsonRange): Generator<JsonRange> {
  let at = skipSpace(text, start + 1);
  while (at < end - 1) {
    const itemEnd = afterValue(text, at);
    yield { start: at, end: itemEnd };
    at = skipSpace(text, itemEnd);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

/** A replacement of a range of a text. */
export interface TextEdit extends JsonRange {
  text: string;
}

/** Sets a member of the object at a range: replaces its value, else adds it at the end. */
export const setMember = (
  text: string,
  object: JsonRange,
  name: string,
  value: string,
): TextEdit[] => setMembers(text, object, [[name, value]]);

/** Sets members of the object at a range, which is read once. */
function setMembers(
  text: string,
  object: JsonRange,
  members: readonly (readonly [string, string])[],
): TextEdit[] {
  const present = new Map<string, JsonRange>();
  let last: JsonRange | undefined;
  for (const { name, start, end } of membersAt(text, object)) {
    last = { start, end };
    present.set(name, last);
  }
  const edits: TextEdit[] = [];
  const added: string[] = [];
  for (const [name, value] of members) {
    const range = present.get(name);
    if (range) edits.push({ ...range, text: value });
    else added.push(`${JSON.stringify(name)}:${value}`);
  }
  if (added.length === 0) return edits;
  const at = last?.end ?? object.start + 1;
  return [...edits, { start: at, end: at, text: (last ? "," : "") + added.join(",") }];
}

/**
 * Sets members of an object below others of a JSON text. An object that is missing, or is none, is
 * made.
 * @param path the names that lead to the object
 * @param members names and values, the values as JSON
 */
export function setMembersAt(
  text: string,
  path: readonly string[],
  members: readonly (readonly [string, string])[],
): string {
  if (members.length === 0) return text;
  let object = wholeValue(text);
  for (const [depth, name] of path.entries()) {
    const inner = memberAt(text, object, name);
    if (inner && text[inner.start] === "{") {
      object = inner;
      continue;
    }
    const made = members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",");
    const nested = path
      .slice(depth + 1)
      .reduceRight((json, key) => `{${JSON.stringify(key)}:${json}}`, `{${made}}`);
    return applyEdits(text, setMember(text, object, name, nested));
  }
  return applyEdits(text, setMembers(text, object, members));
}

/** Applies edits that do not overlap. Edits at the same place keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
