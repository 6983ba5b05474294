import { describe, expect, it } from "vitest";
import { holdBack } from "./hold-back.ts";

describe("holdBack", () => {
  it.each([
    ["See [the ru", "See "],
    ["See [the rules]", "See "],
    ["See [the rules](https://exam", "See "],
    ["![A ca", ""],
    ["It is **very", "It is "],
    ["It is **very*", "It is "],
    ["It is *", "It is "],
    ["It is ~~go", "It is "],
    ["Call `run", "Call "],
    ["So $a_1 +", "So "],
    ["So \\(a + b", "So "],
    ["Then:\n$$\nx = ", "Then:\n"],
    ["Then:\n#", "Then:\n"],
    ["Then:\n-", "Then:\n"],
    ["Then:\n- [", "Then:\n"],
    ["Then:\n1.", "Then:\n"],
    ["Then:\n\n``", "Then:\n\n"],
    ["Look:\n\n| a | b", "Look:\n\n"],
    ["Look:\n\n| a | b |\n", "Look:\n\n"],
    ["Look:\n\n| a | b |\n|--", "Look:\n\n"],
    ["Look:\n\n| a | b |\n|--|--|\n| 1 |", "Look:\n\n| a | b |\n|--|--|\n"],
    ["- one\n- **tw", "- one\n- "],
    ["```js\nlet a;\n``", "```js\nlet a;\n"],
  ])("shows of %j only %j", (text, shown) => {
    expect(holdBack(text)).toBe(shown);
  });

  it.each([
    "See [the rules](https://example.org) now",
    "It is **very** good",
    "It is *very* good",
    "2 * 3 is 6, snake_case_name too, and 5 $ or $5",
    "Call `run` or ``a`b`` now",
    "So $a_1$ and \\(b\\) hold",
    "A task [ ] and [1] here",
    "```js\nlet [a, b] = **c",
    "~~~\n| a",
    "Look:\n\n| a |\n|---|\n| 1 |\n",
    "Escaped \\* and \\_ signs",
    "***Both*** at once",
    "**bold *and* more** then",
  ])("shows all of %j", (text) => {
    expect(holdBack(text)).toBe(text);
  });

  it("shows a text whose unclosed sign is far behind", () => {
    const text = `A lone *star ${"and more words ".repeat(60)}`;
    expect(holdBack(text)).toBe(text);
  });

  it("shows more and more of a text, and at last all of it", () => {
    const whole =
      "# A *title*\n\nSee [this](https://example.org), **bold** and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\na[0];\n```\n\n- [x] done\n\n$$\na^2\n$$\n\nEnd.";
    let shown = 0;
    for (let length = 0; length <= whole.length; length++) {
      const part = holdBack(whole.slice(0, length));
      expect(whole.startsWith(part)).toBe(true);
      shown = Math.max(shown, part.length);
    }
    expect(shown).toBe(whole.length);
  });

  it.each(["[", "*", "`", "| a |\n", "$a ", "**a", "_a"])(
    "takes linear time for many of %j",
    (part) => {
      const text = part.repeat(100_000 / part.length);
      expect(text.startsWith(holdBack(text))).toBe(true);
    },
  );
});
