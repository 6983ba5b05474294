import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutText", () => {
  it("cuts after a whole sentence, in any script", () => {
    expect(cutText("Ada sails. Ben rows. Cleo swims far out.", 26)).toBe("Ada sails. Ben rows.");
    expect(cutText("她会航海。他会划船。她游得很远很远。", 12)).toBe("她会航海。他会划船。");
  });

  it("cuts after a word if the last sentence ends below three quarters of the limit", () => {
    expect(cutText("Yes. Ada has a red boat and two oars", 30)).toBe("Yes. Ada has a red boat and");
  });

  it("cuts after a grapheme if there are no words", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(cutText(family.repeat(5), 32)).toBe(family.repeat(4));
    expect(cutText("é".repeat(50).normalize("NFD"), 75)).toBe("é".repeat(37).normalize("NFD"));
  });

  it("returns a text within the limit unchanged, counting code points", () => {
    for (const text of ["", "🦉".repeat(20), " kept as it is "])
      expect(cutText(text, 20)).toBe(text);
  });

  it("cuts at the limit if no segment ends near it", () => {
    expect(cutText(`a${"\u0301".repeat(100)}`, 10)).toHaveLength(10);
    expect(Array.from(cutText("🦉".repeat(3_000), 2_000))).toHaveLength(2_000);
  });
});
