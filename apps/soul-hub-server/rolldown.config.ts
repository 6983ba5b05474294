import { cpSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { licenses } from "../../tools/licenses.ts";

const at = (file: string) => path.resolve(import.meta.dirname, "../..", file);

/**
 * Bundles server and operator's tool with their libraries (0072). Only the packages with binary
 * files stay `dependencies`.
 */
export default defineConfig({
  input: {
    main: "src/main.ts",
    "archive-process": at("packages/api/src/backup/archive-process.ts"),
    "format-worker": at("packages/api/src/souls/format-thread/format-worker.ts"),
  },
  platform: "node",
  transform: { target: "node24" },
  external: [/^@electric-sql\/pglite/, "@resvg/resvg-js"],
  plugins: [files(), licenses()],
  // The ORM and the logs use names of classes. Modules find their files beside them, so all chunks
  // are in one folder.
  output: {
    dir: "dist",
    format: "esm",
    keepNames: true,
    cleanDir: true,
    comments: false,
    // V8 keeps the text of a file, with two bytes for each character unless all are Latin-1 (0081).
    minify: {
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: false, asciiOnly: true },
    },
  },
});

/** Copies the files that the server reads while it runs, and the page, which is built before. */
function files(): Plugin {
  const copies = {
    "packages/api/src/db/functions": "functions",
    "packages/api/src/souls/starter": "starter",
    "packages/api/src/mini-apps/catalogue": "catalogue",
    "apps/web/dist": "web",
  };
  return {
    name: "files",
    writeBundle() {
      for (const [from, to] of Object.entries(copies)) {
        cpSync(at(from), path.join("dist", to), { recursive: true });
      }
    },
  };
}
