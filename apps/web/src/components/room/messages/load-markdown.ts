import { type ComponentProps, createElement, lazy, useState } from "react";

type MarkdownModule = typeof import("../../markdown.tsx");

let loaded: MarkdownModule | undefined;

/** Loads the Markdown renderer, the largest module after React. Only a room with replies needs it. */
export async function loadMarkdown(): Promise<MarkdownModule> {
  loaded ??= await import("../../markdown.tsx");
  return loaded;
}

const LaterMarkdown = lazy(async () => ({ default: (await loadMarkdown()).Markdown }));

/** Once loaded, the renderer's first text is its last one: `lazy` alone shows its fallback first. */
export function Markdown(props: ComponentProps<MarkdownModule["Markdown"]>) {
  const [renderer] = useState(() => loaded?.Markdown ?? LaterMarkdown);
  return createElement(renderer, props);
}
