import type { Plugin, Rolldown } from "vite";

/** What the page of one address needs beside what every page needs. */
interface PageFiles {
  /** Of the router: `/soul/$id`. */
  path: string;
  scripts: string[];
  styles: string[];
}

/** As each file of src/routes names the address that it is the page of. */
const ROUTE = /createLazyRoute\(\s*"([^"]+)"/;

/**
 * Writes page-files.json, by which the server lets a browser fetch a page's own files along with
 * the entry, instead of after it has run.
 */
export const pageFiles: Plugin = {
  name: "page-files",
  apply: "build",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (!entry) this.error("There is no entry, and nothing that every page needs.");
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

/** A chunk, what it imports, and the styles of all of them. */
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
