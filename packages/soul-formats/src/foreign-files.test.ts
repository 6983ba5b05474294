import { describe, expect, it } from "vitest";
import { readSoulFile } from "./index.ts";
import { roles } from "./laws.fixture.ts";

const json = (value: unknown) => JSON.stringify(value, null, 2);
const card = { spec: "chara_card_v3", data: { name: "Orla", description: "x" } };
const read = (text: string, isMarkdown = false) =>
  readSoulFile(Buffer.from(text), roles, isMarkdown);
const refused = (kind: string) => `seems to be a ${kind}, not a character card`;
const listed = (kind: string) =>
  `seems to be a list, each part a ${kind}; one character card is one import`;

/** Files of other programs, and what the refusal calls them. */
const files: readonly (readonly [name: string, text: string, message: string])[] = [
  [
    "a character of Agnai",
    json({
      kind: "character",
      name: "Orla",
      scenario: "A storm.",
      greeting: "Hello.",
      persona: { kind: "text", attributes: { text: ["Kind."] } },
    }),
    refused("character of Agnai"),
  ],
  ["a character of Pygmalion", json({ char_name: "Orla" }), refused("character of Pygmalion")],
  ["two cards", json([card, card]), listed("character card")],
  ["two cards of version 1", json([{ name: "Orla", description: "x" }]), listed("character card")],
  ["models", json([{ id: "m", base_model_id: "llama" }]), listed("model")],
  ["a list of models", json({ object: "list", data: [] }), refused("list of models")],
  ["conversations", json([{ title: "x", mapping: {} }]), listed("conversation")],
  ["a conversation", json({ messages: [] }), refused("conversation")],
  ["a lorebook", json({ entries: { 0: { content: "x" } } }), refused("lorebook")],
  ["a list of texts", '["a", "b"]', "is a JSON list, but not a character card"],
  ["an empty list", "[]\n", "is a JSON list, but not a character card"],
  ["a list of numbers", "[1, [-2.5e3]]", "is a JSON list, but not a character card"],
  ["a list of lists", '[ [{"a": 1}] ]', "is a JSON list, but not a character card"],
  ["other JSON", '{"a": 1}', "is JSON, but not a character card"],
  ["JSON with a comment", '{/*c*/"name": "Orla", "description": "x"}', "is not valid JSON"],
  ["JSON after a comment", '// c\n/* * */ {"name": "Orla"}', "is not valid JSON"],
  ["JSON with bare names", '{ name: "Orla", description: "x" }', "is not valid JSON"],
  ["JSON lines", '{"a": 1}\n{"a": 2}', "is not valid JSON"],
  ["a list that is cut off", '[{"spec": "chara_card_v3"', "is not valid JSON"],
  ["a web page", "<!DOCTYPE html>\n<html><body>Orla</body></html>", "seems to be a web page"],
  [
    "a saved web page",
    '\ufeff<!-- saved from url=(1) -->\n<HTML lang="en">',
    "seems to be a web page",
  ],
  ["a web page without its root", "<head><title>Orla</title></head>", "seems to be a web page"],
  ["XHTML", '<?xml version="1.0"?>\n<!doctype html>', "seems to be a web page"],
];

describe("a file of another program", () => {
  it.each(files)("is refused by name: %s", async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ at: "", message });
  });

  it.each(files)("is text if its sender calls it Markdown: %s", async (_, text) => {
    expect(await read(text, true)).toMatchObject({ format: "md", content: text });
  });

  it("is a card whatever its sender calls it", async () => {
    expect(await read(json(card), true)).toMatchObject({ format: "card-json" });
  });
});

describe("a Markdown that begins like another file", () => {
  it.each([
    "[{{char}} keeps the light]",
    "{{char}} keeps the light for {{user}}.",
    "[Orla](orla.md)",
    '["Orla"](orla.md)',
    "[[orla]]",
    "[1]: https://example.org",
    "[1, 2] name the sources of the text.",
    "// Be kind.",
    "<role>Be kind.</role>",
    "<!-- A note. -->\n<h1>Orla</h1>",
    "{% if user %}",
  ])("is taken as it is: %s", async (text) => {
    expect(await read(text)).toMatchObject({ format: "md", content: text, warnings: [] });
  });
});
