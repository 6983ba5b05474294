import type { MarkdownIt } from "markdown-it";

/** Opening and closing signs of formulas that stand in a line of their own, or in a text. */
const DISPLAY = [
  ["$$", "$$"],
  ["\\[", "\\]"],
] as const;

/**
 * Parses formulas: `$…$` and `\(…\)` in a text, `$$…$$` and `\[…\]` on their own. They become code
 * elements with the attribute `data-math`, which the page typesets later.
 */
export function parseMath(markdown: MarkdownIt): void {
  const { escapeHtml } = markdown.utils;
  markdown.inline.ruler.before("escape", "math", (state, isSilent) => {
    const found = formulaAt(state.src, state.pos, state.posMax);
    if (!found) return false;
    if (!isSilent) {
      const token = state.push("math", "code", 0);
      token.content = found.source;
      token.meta = { isDisplay: found.isDisplay };
    }
    state.pos = found.end;
    return true;
  });
  markdown.block.ruler.before(
    "fence",
    "math_block",
    (state, startLine, endLine, isSilent) => {
      const from = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      const signs = DISPLAY.find(([open]) => state.src.startsWith(open, from));
      if (!signs) return false;
      const [open, close] = signs;
      let line = startLine;
      let begin = from + open.length;
      const parts: string[] = [];
      for (; line < endLine; line++) {
        const text = state.src.slice(begin, state.eMarks[line]).trimEnd();
        // The formula must end its line, otherwise it is part of a paragraph.
        const at = text.indexOf(close);
        if (at >= 0 && at !== text.length - close.length) return false;
        parts.push(at < 0 ? text : text.slice(0, at));
        if (at >= 0) break;
        begin = (state.bMarks[line + 1] ?? 0) + (state.tShift[line + 1] ?? 0);
      }
      if (line >= endLine || parts.join("").trim() === "") return false;
      if (isSilent) return true;
      const token = state.push("math_block", "p", 0);
      token.content = parts.join("\n").trim();
      token.map = [startLine, line + 1];
      state.line = line + 1;
      return true;
    },
    { alt: ["paragraph", "blockquote", "list"] },
  );
  const code = (source: string, kind: "inline" | "block") =>
    `<code data-math="${kind}">${escapeHtml(source)}</code>`;
  markdown.renderer.rules.math = (tokens, at) => {
    const { content = "", meta } = tokens[at] ?? {};
    return code(content, meta?.isDisplay ? "block" : "inline");
  };
  markdown.renderer.rules.math_block = (tokens, at) =>
    `<p>${code(tokens[at]?.content ?? "", "block")}</p>\n`;
}

interface Formula {
  source: string;
  isDisplay: boolean;
  end: number;
}

function formulaAt(text: string, from: number, to: number): Formula | undefined {
  const signs =
    DISPLAY.find(([open]) => text.startsWith(open, from)) ??
    (text.startsWith("\\(", from) ? (["\\(", "\\)"] as const) : undefined);
  if (signs) {
    const [open, close] = signs;
    const end = text.indexOf(close, from + open.length);
    if (end < 0 || end + close.length > to) return undefined;
    const source = text.slice(from + open.length, end).trim();
    return source ? { source, isDisplay: open !== "\\(", end: end + close.length } : undefined;
  }
  return text[from] === "$" ? dollarsAt(text, from, to) : undefined;
}

/**
 * A formula between single dollar signs. Amounts of money are none: no space is inside of the signs,
 * and no digit follows.
 */
function dollarsAt(text: string, from: number, to: number): Formula | undefined {
  if (/[\s$]/.test(text[from + 1] ?? " ")) return undefined;
  for (let end = from + 2; end < to; end++) {
    const sign = text[end];
    if (sign === "\n") return undefined;
    if (sign === "\\") end++;
    else if (sign === "$") {
      if (/\s/.test(text[end - 1] ?? "") || /[\d$]/.test(text[end + 1] ?? "")) return undefined;
      return { source: text.slice(from + 1, end), isDisplay: false, end: end + 1 };
    }
  }
  return undefined;
}
