import { openApiDocument } from "@soul-hub/api";
import { describe, expect, it } from "vitest";
import { words } from "./failure-words.ts";
import { failureFor } from "./failures.ts";

const documented = Object.keys(openApiDocument("0.0.0").components.examples);

/** The compiler asks for words of every code that there is; here they are read as a person would. */
describe("what a page says of a failure", () => {
  it.each(documented)("is in its own words for %s", (code) => {
    const { title, hint } = failureFor(code, { error: code }, "In the hub's words.");
    expect([title, hint]).not.toContain("In the hub's words");
  });

  it.each(Object.entries(words))("tells of %s in plain words, and what to do", (_, said) => {
    expect(said.title).toMatch(/^[A-Z].*[^.!]$/);
    expect(said.hint).toMatch(/^[A-Z].*\.$/);
    expect(`${said.title} ${said.hint}`).not.toMatch(/_|\b(?:error|HTTP|JSON|token|null)\b|\d{3}/i);
  });

  it("of a code that is newer than the page is what the hub says", () => {
    const { title } = failureFor("from_tomorrow", { error: "from_tomorrow" }, "The moon is full.");
    expect(title).toBe("The moon is full");
  });
});
