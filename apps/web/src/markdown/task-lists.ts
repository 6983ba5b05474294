import type { MarkdownIt } from "markdown-it";

const BOX = /^\[([ xX])\][ \t]+/;

/** Marks list items that begin with `[ ]` or `[x]` with the attribute `data-task`. */
export function parseTaskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.after("inline", "task_lists", ({ tokens }) => {
    for (const [at, item] of tokens.entries()) {
      const text = tokens[at + 2];
      const first = text?.children?.[0];
      const isText = tokens[at + 1]?.type === "paragraph_open" && first?.type === "text";
      if (item.type !== "list_item_open" || !isText) continue;
      const [box, mark] = BOX.exec(first.content) ?? [];
      if (!box) continue;
      first.content = first.content.slice(box.length);
      item.attrSet("data-task", mark === " " ? "open" : "done");
    }
  });
}

/** Puts a check box into each marked list item, after sanitizing: DOMPurify would remove it. */
export function addCheckBoxes(content: DocumentFragment): void {
  for (const item of content.querySelectorAll<HTMLElement>("li[data-task]")) {
    const box = document.createElement("input");
    const isDone = item.dataset.task === "done";
    box.type = "checkbox";
    box.disabled = true;
    box.toggleAttribute("checked", isDone);
    box.setAttribute("aria-label", isDone ? "Done" : "Not done");
    (item.firstElementChild?.tagName === "P" ? item.firstElementChild : item).prepend(box);
  }
}
