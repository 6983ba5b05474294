import { describe, expect, it } from "vitest";
import { mentionsIn, tokenAt } from "./mention-text.ts";

describe("a mention", () => {
  it("is a whole word, regardless of case", () => {
    expect(mentionsIn("@Orla and @ben-2, ask @orla.")).toEqual(["orla", "ben-2"]);
    expect(mentionsIn("ada@orla.org @@orla @orla_x")).toEqual([]);
  });

  it("is completed where its @ begins a word", () => {
    expect(tokenAt("@", 1)).toEqual({ start: 0, query: "" });
    expect(tokenAt("Ask @or", 7)).toEqual({ start: 4, query: "or" });
    expect(tokenAt("(@or", 4)).toEqual({ start: 1, query: "or" });
    expect(tokenAt("ada@or", 6)).toBeUndefined();
    expect(tokenAt("@orla ", 6)).toBeUndefined();
    expect(tokenAt("Ask @orla", 3)).toBeUndefined();
  });
});
