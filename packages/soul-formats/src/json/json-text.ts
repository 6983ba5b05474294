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

function skipSpace(text: string, at: number): number {
  let next = at;
  while (SPACE.test(text[next] ?? "")) next++;
  return next;
}

/** Returns the place after a string that begins at `at`. */
function afterString(text: string, at: number): number {
  let next = at + 1;
  while (text[next] !== '"') next += text[next] === "\\" ? 2 : 1;
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
    const sign = text[next] as string;
    if (sign === '"') {
      next = afterString(text, next);
      continue;
    }
    if (sign === "{" || sign === "[") depth++;
    if (sign === "}" || sign === "]") depth--;
    next++;
  } while (depth > 0);
  return next;
}

export function wholeValue(text: string): JsonRange {
  const start = skipSpace(text, 0);
  return { start, end: afterValue(text, start) };
}

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
export function setMember(text: string, object: JsonRange, name: string, value: string): TextEdit {
  const present = memberAt(text, object, name);
  if (present) return { ...present, text: value };
  return addMembers(text, object, [[name, value]]);
}

/** Adds members behind the last one of the object at a range. */
function addMembers(
  text: string,
  object: JsonRange,
  members: readonly (readonly [string, string])[],
): TextEdit {
  let last: JsonRange | undefined;
  for (const member of membersAt(text, object)) last = member;
  const at = last?.end ?? object.start + 1;
  const added = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return { start: at, end: at, text: last ? `,${added}` : added };
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
