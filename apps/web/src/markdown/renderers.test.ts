import hljs from "highlight.js/lib/core";
import { expect, it } from "vitest";
import { highlightCode } from "./highlight-code.ts";
import { isFrequent } from "./renderers.ts";

it("names each language and alias of the small highlighter, and no other", async () => {
  expect(highlightCode("let a", "ts")).toContain("hljs-keyword");
  const small = hljs.listLanguages();
  const names = small.flatMap((name) => [name, ...(hljs.getLanguage(name)?.aliases ?? [])]);
  expect(names.filter((name) => !isFrequent(name))).toEqual([]);
  const { default: all } = await import("highlight.js/lib/common");
  const rare = all.listLanguages().filter((name) => !small.includes(name));
  expect(rare.filter(isFrequent)).toEqual([]);
});
