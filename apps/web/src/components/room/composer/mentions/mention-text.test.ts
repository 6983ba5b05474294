import { describe, expect, it } from "vitest";
import { tokenAt } from "./mention-text.ts";

describe("a mention", () => {
  it("is completed where its @ begins a word", () => {
    expect(tokenAt("@", 1)).toEqual({ start: 0, query: "" });
    expect(tokenAt("Ask @or", 7)).toEqual({ start: 4, query: "or" });
    expect(tokenAt("(@or", 4)).toEqual({ start: 1, query: "or" });
    expect(tokenAt("ada@or", 6)).toBeUndefined();
    expect(tokenAt("@orla ", 6)).toBeUndefined();
    expect(tokenAt("Ask @orla", 3)).toBeUndefined();
    expect(tokenAt("你好@面包", 5)).toEqual({ start: 2, query: "面包" });
  });
});
