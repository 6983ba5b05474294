import "katex/dist/katex.min.css";
import katex from "katex";

/** Bounds of a hostile formula: its largest length in em, and the expansions of its macros. */
const bounds = { maxSize: 20, maxExpand: 300 };

/** Typesets a formula. Without `trust`, it can neither link nor load anything. */
export function typesetMath(source: string, displayMode: boolean): HTMLElement {
  const box = document.createElement("span");
  katex.render(source, box, {
    displayMode,
    throwOnError: false,
    errorColor: "var(--bad-text)",
    strict: false,
    ...bounds,
  });
  return box;
}
