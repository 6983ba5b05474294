/** Characters of an excerpt before and after the found text. */
const AROUND_CHARS = 80;

/** Returns the part of a message around the first occurrence of a text, on one line. */
export function excerptOf(message: string, text: string): string {
  const inForm = (form: "NFC" | "NFKC") => {
    const pattern = text.normalize(form).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    const content = message.normalize(form);
    return { content, found: new RegExp(pattern, "iu").exec(content) };
  };
  // The message keeps its compatibility forms where the text is found in it as it is.
  const exact = inForm("NFC");
  const { content, found } = exact.found ? exact : inForm("NFKC");
  // The database compares more forms of a letter than JavaScript does.
  const at = found?.index ?? 0;
  const end = at + (found?.[0] ?? text).length;
  const before = [...content.slice(0, at)];
  const after = [...content.slice(end)];
  const start = before.slice(-AROUND_CHARS).join("");
  const rest = after.slice(0, AROUND_CHARS).join("");
  const excerpt = `${start}${content.slice(at, end)}${rest}`.replace(/\s+/g, " ").trim();
  const isCutBefore = before.length > AROUND_CHARS;
  return `${isCutBefore ? "…" : ""}${excerpt}${after.length > AROUND_CHARS ? "…" : ""}`;
}
