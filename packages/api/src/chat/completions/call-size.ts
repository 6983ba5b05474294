import { HubError } from "../../errors.ts";
import { textsOf } from "../models/prompt-delimiters.ts";
import type { AppCall } from "./app-call.ts";

/** The units of the longest call that the platform pays for, before deep think. */
const MAX_UNITS = 4;
/** The limit of a call that the account's own provider pays for. */
const MAX_OWN_CHARS = 1_000_000;

/** Counts the characters of all texts of a call, with its tools and its JSON schema as JSON. */
export function countChars({ instructions, messages, choices }: AppCall): number {
  const texts = [...instructions, ...messages.flatMap(textsOf)];
  if (choices.tools?.length) texts.push(JSON.stringify(choices.tools));
  const { schema, name = "", description = "" } = choices.json ?? {};
  if (schema) texts.push(JSON.stringify(schema));
  texts.push(name, description);
  return texts.reduce((sum, text) => sum + charsOf(text), 0);
}

/** Counts code points: of a surrogate pair the second half is none. Texts are well-formed. */
function charsOf(text: string): number {
  let chars = text.length;
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) chars--;
  }
  return chars;
}

/**
 * Returns the units of a call: one for each started `maxInputChars` (0051).
 * @throws HubError `input_too_long`
 */
export function unitsOf(chars: number, maxInputChars: number): number {
  const units = Math.max(1, Math.ceil(chars / maxInputChars));
  if (units > MAX_UNITS) throw tooLong(chars, MAX_UNITS * maxInputChars);
  return units;
}

/** @throws HubError `input_too_long` */
export function assertOwnSize(chars: number): void {
  if (chars > MAX_OWN_CHARS) throw tooLong(chars, MAX_OWN_CHARS);
}

const tooLong = (chars: number, limit: number): HubError =>
  new HubError("input_too_long", {
    message: `The call has ${chars} characters. At most ${limit} are allowed.`,
  });
