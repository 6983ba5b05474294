import type { Plugin, Rolldown } from "vite";

/** The assets that one page needs besides those of every page. */
interface PageFiles {
  /** The router's path, e.g. `/soul/$id`. */
  path: string;
  scripts: string[];
  styles: string[];
}

/** Matches the router's path in a file of src/routes. */
const ROUTE = /createLazyRoute\(\s*"([^"]+)"/;

/**
 * Writes page-files.json, from which the server links a page's own assets in its HTML (0019).
 * The browser then loads them in parallel with the entry instead of after running it.
 */
export const pageFiles: Plugin = {
  name: "page-files",
  apply: "build",
  // Vite renames a chunk from which it removes an import of styles. This plugin runs after that.
  enforce: "post",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (!entry) this.error("The bundle has no entry chunk.");
    const known = filesOf(entry, bundle);
    const pages: PageFiles[] = [];
    for (const chunk of chunks) {
      const source = chunk.facadeModuleId && this.getModuleInfo(chunk.facadeModuleId)?.code;
      const [, path] = (source && ROUTE.exec(source)) || [];
      if (path === undefined) continue;
      const own = [...filesOf(chunk, bundle)].filter((file) => !known.has(file));
      const named = own.map((file) => `/${file}`);
      pages.push({
        path,
        scripts: named.filter((file) => file.endsWith(".js")),
        styles: named.filter((file) => file.endsWith(".css")),
      });
    }
    this.emitFile({
      type: "asset",
      fileName: "page-files.json",
      source: JSON.stringify(pages, null, 2),
    });
  },
};

/** Returns the files of a chunk, of its static imports and of their styles. */
function filesOf(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  found = new Set<string>(),
): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const file of chunk.imports) {
    const imported = bundle[file];
    if (imported?.type === "chunk") filesOf(imported, bundle, found);
  }
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  return found;
}
