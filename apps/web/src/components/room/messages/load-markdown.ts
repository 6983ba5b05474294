/** Loads the Markdown renderer, the largest module after React. Only a room with replies needs it. */
export const loadMarkdown = () => import("../../markdown.tsx");
