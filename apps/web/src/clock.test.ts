import { afterEach, describe, expect, it, vi } from "vitest";
import { shortTime } from "./clock.ts";

/** Formats with `Intl`, whose result the page's own format equals. */
const byIntl = (utc: string, language: string) =>
  new Intl.DateTimeFormat(language, { timeStyle: "short" })
    .format(new Date(`${utc.replace(" ", "T")}Z`))
    .replaceAll(" ", " ")
    .toUpperCase()
    .replaceAll(".", "");

describe("the time of a message", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each(["en-US", "en-CA", "en-AU", "en-NZ", "en-IN", "en-PH", "en-GB", "en-IE", "de-DE", "fr"])(
    "has the clock of %s",
    (language) => {
      vi.stubGlobal("navigator", { language });
      for (const hour of ["00", "03", "11", "12", "15", "23"]) {
        const utc = `2026-11-28 ${hour}:05:09`;
        expect(shortTime(utc)).toBe(byIntl(utc, language));
      }
    },
  );
});
