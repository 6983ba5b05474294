import { describe, expect, it } from "vitest";
import { handlesOf } from "./handles.ts";
import { findMentions, mentionedSouls } from "./mentions.ts";

const souls = [
  { title: "Orla", handle: "orla" },
  { title: "Orla", handle: "orla-2" },
  { title: "Miller", handle: "miller" },
  // A handle of a former release, which knew ASCII alone.
  { title: "面包师", handle: "soul" },
  { title: "Łukasz Żółw", handle: "łukasz-żółw" },
  { title: "Guðrún Yıldız", handle: "guðrún-yıldız" },
  { title: "パン屋", handle: "パン屋" },
  { title: "Пекарь", handle: "пекарь" },
  { title: "วิทยา", handle: "วิทยา" },
  { title: "İZMİR 2", handle: "i̇zmi̇r-2" },
];
const mentioned = (text: string) => mentionedSouls(text, souls).map(({ handle }) => handle);

describe("a mention of a soul", () => {
  it.each([
    ["@miller, what says @Orla?", ["miller", "orla"]],
    ["@orla @ORLA (@orla)", ["orla"]],
    ["@orla-2 and @orla- or @miller's", ["orla-2", "orla", "miller"]],
    ["x@orla, @@orla, @orla_x @orlaé @orla-é @orla2 @orla-3", []],
    ["no mention, @ nor @-", []],
    ["@soul and @面包师, one soul", ["soul"]],
    ["你好@miller你好", ["miller"]],
    ["请问@面包师，你好", ["soul"]],
    ["@面包师傅", []],
    ["@パン屋さん、@パン屋根", ["パン屋"]],
    ["привет @пекарь! @пекаря", ["пекарь"]],
    ["привет@пекарь", []],
    ["สวัสดี@วิทยา", ["วิทยา"]],
    ["@ＯＲＬＡ and ＠miller", ["orla", "miller"]],
    ["@Łukasz-Żółw".normalize("NFD"), ["łukasz-żółw"]],
    ["@lukasz-zolw", ["łukasz-żółw"]],
    ["@gudrun-yildiz", ["guðrún-yıldız"]],
    ["@İZMİR-2!", ["i̇zmi̇r-2"]],
  ])("is found in %j", (text, handles) => expect(mentioned(text)).toEqual(handles));

  it.each([
    "http://x/@miller",
    "See (https://hub.example/@miller?to=@miller).",
    "medium.example/@miller",
    "ada@miller.example, 面包@miller.example, @miller@hub.example",
    "> @miller",
    "  >@miller",
    "`@miller`",
    "``a ` @miller``",
    "`a\n@miller`",
    "```\n@miller\n```",
    "~~~ts\n```\n@miller\n~~~~",
    "```\nunclosed @miller",
    "- > @miller",
    "* a\n  10. > @miller",
    "- ```\n  @miller\n  ```",
    "    @miller",
    "Code:\n\n\ta\n\n    @miller",
  ])("is not in an address, a quote or code: %j", (text) => expect(mentioned(text)).toEqual([]));

  it.each([
    "http://x/ @miller",
    "看http://x/，@miller",
    "> Who?\n@miller",
    "`a` @miller `b`",
    "An unclosed ` and @miller",
    "`a\n\n@miller`",
    "`> a\n> b`\n@miller",
    "```\ncode\n```\n@miller",
    "a > @miller",
    "- a > @miller",
    "- ```\n  code\n  ```\n@miller",
    "Well,\n    @miller",
    "- a\n\n    @miller",
    "1. a\n   b\n\n    c\n\n    @miller",
    "    code\n@miller",
    "@miller.",
  ])("stands beside an address, a quote or code: %j", (text) =>
    expect(mentioned(text)).toEqual(["miller"]),
  );

  it("prefers a handle to the form that another title would get", () => {
    const [host, guest] = [
      { title: "Café", handle: "cafe" },
      { title: "Cafe", handle: "soul" },
    ];
    expect(mentionedSouls("@cafe", [guest, host])).toEqual([host]);
    expect(mentionedSouls("@café", [guest, host])).toEqual([host]);
  });

  it("is found in linear time", () => {
    const many = ["a-", "@a-", "`a", "a@a.", "http", "> @a\n", "\n \n", "a.b/"];
    for (const part of many) mentionedSouls(`@${part.repeat(50_000)}`, souls);
    const runs = Array.from({ length: 400 }, (_, n) => "`".repeat(n + 1)).join(" ");
    expect(mentioned(`${runs} @miller`)).toEqual(["miller"]);
  });
});

it("finds the places of mentions of people", () => {
  const text = "@ada-b, x@ada and `@ada`: 你好@ada, @BEN_!";
  const found = findMentions(text, ["ada", "ben"]);
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(["@ada", "@BEN"]);
});

describe("handles", () => {
  it.each([
    ["The Patient Reviewer", "the-patient-reviewer"],
    ["  Émile & Zoë!  ", "émile-zoë"],
    ["C-3PO", "c-3po"],
    ["灯台守", "灯台守"],
    ["ｆｕｌｌ　ﬁ", "full-fi"],
    ["क्षत्रिय\u200d", "क्षत्रिय"],
    ["❤️ 🎉", "soul"],
    ["\u3164", "soul"],
    [`${"a".repeat(39)} b`, "a".repeat(39)],
    ["𝒳𠮷".repeat(30), "x𠮷".repeat(20)],
  ])("are made of the title %j", (title, handle) => expect(handlesOf([title])).toEqual([handle]));

  it("are numbered if they repeat", () =>
    expect(handlesOf(["Orla", "orla", "Orla!", "x".repeat(60), "x".repeat(60)])).toEqual([
      "orla",
      "orla-2",
      "orla-3",
      "x".repeat(40),
      `${"x".repeat(38)}-2`,
    ]));
});
