import { expect, it } from "vitest";
import { mentionsIn } from "./mentions.ts";

it.each([
  ["@ben, what says @Orla?", ["ben", "orla"]],
  ["@orla @ORLA (@orla)", ["orla"]],
  ["@the-patient-reviewer: hello", ["the-patient-reviewer"]],
  ["@orla-2 and @orla- or @orla's", ["orla-2", "orla"]],
  ["mail ada@orla.com, @@orla, x@orla", []],
  ["@orla_x @orlaé @orla-é @2x", ["2x"]],
  ["no mention, @ nor @-", []],
])("finds the mentions in %j", (text, names) => expect(mentionsIn(text)).toEqual(names));

it("takes linear time", () => {
  expect(mentionsIn(`@${"a-".repeat(100_000)}é ${"@a-".repeat(100_000)}`)).toEqual(["a"]);
});
