import { openApiDocument } from "@soul-hub/api";
import { describe, expect, it } from "vitest";
import { failureFor } from "../failures.ts";
import { errorMessages } from "./error-messages.ts";
import { furtherErrorMessages } from "./further-error-messages.ts";

const documented = Object.keys(openApiDocument("0.0.0").components.examples);

/**
 * The compiler requires a message for each error code. These tests check the wording of the
 * messages.
 */
describe("error messages", () => {
  it.each(documented)("has its own text for %s", (code) => {
    const { title, hint } = failureFor(code, { error: code }, "The API's message.");
    expect([title, hint]).not.toContain("The API's message");
  });

  it.each(Object.entries({ ...errorMessages, ...furtherErrorMessages }))(
    "explains %s without jargon",
    (_, message) => {
      expect(message.title).toMatch(/^[A-Z].*[^.!]$/);
      expect(message.hint).toMatch(/^[A-Z].*\.$/);
      expect(`${message.title} ${message.hint}`).not.toMatch(
        /_|\b(?:error|HTTP|JSON|token|null)\b|\d{3}/i,
      );
    },
  );

  it("shows the API's message for a code that is newer than the page", () => {
    const { title } = failureFor("from_tomorrow", { error: "from_tomorrow" }, "The moon is full.");
    expect(title).toBe("The moon is full");
  });
});
