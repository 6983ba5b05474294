import { describe, expect, it } from "vitest";
import { isFormMessage } from "./form-message.ts";

describe("a mini app's message", () => {
  it("is recognised by its title, request and first label", () => {
    const message = "**Trip Plan**\n\nPlease plan a trip.\n\n- **Where to:** Ljubljana";
    expect(isFormMessage(message)).toBe(true);
    expect(isFormMessage(`${message}\n- **Notes:**\n  > no *early* trains`)).toBe(true);
  });

  it.each([
    "**Trip Plan**",
    "**Trip Plan**\n\nPlease plan a trip.",
    "- **Where to:** Ljubljana",
    " **Trip Plan**\n\nPlease plan a trip.\n\n- **Where to:** Ljubljana",
    "2 ** 3\n\nis 8\n\n- **so:** 8",
  ])("is not %j", (text) => expect(isFormMessage(text)).toBe(false));
});
