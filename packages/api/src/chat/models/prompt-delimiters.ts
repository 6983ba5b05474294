import { oneLine, replaceMacros } from "@soul-hub/soul-formats";
import type { Vault } from "../../vault.ts";
import type { ModelRequest, PromptMessage, ToolCall } from "./model-port.ts";
import { parseArguments } from "./provider-call.ts";

/** The fields of a soul that the prompt contains. */
export interface PromptSoul {
  title: string;
  content: string;
  /** `single_md` or `full_soul_folder` (specification §2). */
  file_type: string;
  /**
   * The nickname of the character card that the soul came from; null if it came from none. The
   * macros of cards alone are replaced (0052).
   */
  nickname?: string | null;
}

/** Encloses an untrusted text in two delimiter lines that contain the prompt's delimiter number. */
export type Delimit = (name: "SOUL" | "SUMMARY" | "APP", text: string) => string;

/** What a prompt's delimiter number depends on, beside the soul. */
export interface DelimiterKey {
  vault: Pick<Vault, "mac">;
  /** The key of the prompt's room; of a stateless call, the id of its caller. */
  scope: string;
}

/** The parts of a request that a model reads. */
type ReadParts = Pick<ModelRequest, "instructions" | "messages" | "choices">;

/**
 * Builds a prompt around a soul. Every prompt with delimiters is built here. The delimiter number is
 * an HMAC under a key of the hub. It depends on the room and the soul alone, so that the provider can
 * cache the beginning of prompts. A reply may reveal the number. The prompt therefore gets the first
 * number of the series that no other text of the prompt contains.
 * @param build returns the prompt with the delimited soul; it may delimit further texts
 */
export function buildDelimited<Prompt extends ReadParts>(
  key: DelimiterKey,
  soul: PromptSoul,
  build: (delimitedSoul: string, delimit: Delimit) => Prompt,
): Prompt {
  const body = soulBody(soul);
  let read = "";
  for (let nth = 0; ; nth++) {
    const number = numberOf(key, body, nth);
    // The texts that hold a number are the same at each attempt.
    if (read.includes(number)) continue;
    let lines = 0;
    const delimit: Delimit = (name, text) => {
      lines += 2;
      return `----- BEGIN ${name} ${number} -----\n${text}\n----- END ${name} ${number} -----`;
    };
    const prompt = build(delimit("SOUL", body), delimit);
    read = textsIn(prompt).map(asRead).join("\n");
    if (read.split(number).length - 1 === lines) return prompt;
  }
}

/** A text as a model reads it: plain forms of characters, without accents and invisible characters. */
export const asRead = (text: string): string =>
  /[^\n\r\t -~]/.test(text)
    ? text.normalize("NFKD").replaceAll(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    : text;

/** So many numbers of six digits begin the series. A text can hold all of these, but no longer ones. */
const SHORT_NUMBERS = 8;

/** Returns the number at one place of the series of a room and a soul. */
function numberOf({ vault, scope }: DelimiterKey, body: string, nth: number): string {
  const first = 10 ** (nth < SHORT_NUMBERS ? 5 : 11);
  const mac = vault.mac("prompt-delimiter", JSON.stringify([scope, nth, body]));
  return String(first + (mac.readUIntBE(0, 6) % (9 * first)));
}

/** All texts that the model gets, the tools and the JSON schema of an app included. */
const textsIn = ({ instructions, messages, choices }: ReadParts): string[] => [
  instructions,
  ...messages.flatMap(textsOf),
  // The provider gets the arguments of a call as a value, in which an escaped digit is a digit.
  ...messages.flatMap((message) =>
    message.role === "assistant" ? (message.toolCalls ?? []).map(argumentsOf) : [],
  ),
  JSON.stringify(choices ?? {}),
];

function argumentsOf(call: ToolCall): string {
  try {
    return JSON.stringify(parseArguments(call.arguments));
  } catch {
    // The arguments are nested too deep for any provider, which then refuses them.
    return call.arguments;
  }
}

/** The texts of a message, which the app chose: also the names and ids of tools, which it pays for. */
export function textsOf(message: PromptMessage): string[] {
  const { role, content } = message;
  if (role === "tool") return [content, message.callId, message.name];
  if (role === "user") return [content];
  return [content, ...(message.toolCalls ?? []).flatMap((call) => Object.values(call))];
}

/**
 * The soul as the prompt contains it: its title, then SOUL.md and the other files with their names.
 * STARTERS.md is left out, because it is text for people: the first messages that a page suggests.
 */
const soulBody = (soul: PromptSoul): string =>
  `Title: ${oneLine(soul.title)}\n\n${withMacros(soul, soulText(soul))}`;

const withMacros = ({ nickname, title }: PromptSoul, text: string): string =>
  typeof nickname === "string" ? replaceMacros(text, oneLine(nickname) || oneLine(title)) : text;

/** Parses the soul out of a prompt's instructions; null if they contain no soul. */
export function readDelimitedSoul(instructions: string): { title: string; text: string } | null {
  const found =
    /^----- BEGIN SOUL (\d+) -----\nTitle: (.*)\n\n([\s\S]*?)\n----- END SOUL \1 -----$/m.exec(
      instructions,
    );
  return found ? { title: found[2] ?? "", text: found[3] ?? "" } : null;
}

function soulText(soul: PromptSoul): string {
  const files = soul.file_type === "full_soul_folder" ? readFolder(soul.content) : null;
  if (!files) return soul.content;
  const isNamed =
    (wanted: string) =>
    ([name]: [string, string]): boolean =>
      name.toLowerCase() === wanted;
  const isMain = isNamed("soul.md");
  const isStarters = isNamed("starters.md");
  const others = files.filter((file) => !isMain(file) && !isStarters(file));
  return [...files.filter(isMain), ...others]
    .map(([name, text]) => `--- ${name} ---\n${text}`)
    .join("\n\n");
}

function readFolder(content: string): [string, string][] | null {
  let folder: unknown;
  try {
    folder = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof folder !== "object" || folder === null) return null;
  const files = Object.entries(folder);
  return files.every((file): file is [string, string] => typeof file[1] === "string")
    ? files
    : null;
}
