import { isObject, type JsonObject, member, textMember } from "../json/read-json.ts";
import { cardVersionOf } from "./read-card.ts";

/** Reports whether a JSON object is a character that Agnai exported, which resembles a V1 card. */
export const isAgnai = (json: JsonObject): boolean =>
  textMember(json, "kind") === "character" && isObject(member(json, "persona"));

const has =
  (...names: string[]) =>
  (json: JsonObject) =>
    names.some((name) => Object.hasOwn(json, name));

/** What a JSON object of another program seems to be; the first test that holds decides. */
const kinds: readonly (readonly [string, (json: JsonObject) => boolean])[] = [
  ["character of Agnai", isAgnai],
  ["character card", (json) => cardVersionOf(json) !== null],
  ["character of Pygmalion", has("char_name")],
  ["conversation", has("messages", "chat_messages", "mapping", "chat")],
  ["list of models", (json) => Array.isArray(json.models) || json.object === "list"],
  ["model", has("base_model_id", "modelfile", "model", "owned_by")],
  ["lorebook", has("entries", "keys", "key")],
];

/** Says what JSON that is no soul seems to be, as the message of a FormatError. */
export function refusalOf(json: unknown): string {
  const sample: unknown = Array.isArray(json) ? json[0] : json;
  const [kind] = (isObject(sample) && kinds.find(([, test]) => test(sample))) || [];
  if (!Array.isArray(json)) {
    return kind
      ? `seems to be a ${kind}, not a character card`
      : "is JSON, but not a character card";
  }
  return kind
    ? `seems to be a list, each part a ${kind}; one character card is one import`
    : "is a JSON list, but not a character card";
}
