import { exactCount } from "../counts.ts";

/** A longer code block is folded, in lines. */
const FOLDED_ABOVE = 30;

/** Adds a head with a copy button to a code block, after sanitizing: DOMPurify would remove it. */
export function codeBlock(code: HTMLPreElement, isGrowing: boolean): HTMLElement {
  const block = document.createElement("div");
  const head = document.createElement("div");
  const label = document.createElement("span");
  const button = document.createElement("button");
  block.className = "code-block";
  head.className = "code-block__head";
  label.textContent = code.dataset.language ?? "";
  button.type = "button";
  button.className = "plain-button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy code");
  head.append(label, button);
  block.append(head, code.cloneNode(true));
  const lines = code.textContent.trimEnd().split("\n").length;
  if (lines > FOLDED_ABOVE && !isGrowing) block.append(unfoldSwitch(lines));
  return block;
}

/**
 * Shows a folded code block as a whole. It is a check box, because its state is no attribute: the
 * block stays equal to the one of the next rendering, which then keeps it.
 */
function unfoldSwitch(lines: number): HTMLElement {
  const label = document.createElement("label");
  const box = document.createElement("input");
  label.className = "code-block__unfold";
  box.type = "checkbox";
  label.append(box, `Show all ${exactCount(lines)} lines`);
  return label;
}
