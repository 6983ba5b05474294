import hljs from "highlight.js/lib/common";

/**
 * Colours the syntax of code. Returns HTML, or undefined for a language that is not among the 37
 * common ones.
 */
export function highlightCode(code: string, language: string): string | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
