import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

/** Appends the licenses of the bundled libraries to each file of a bundle, as they ask for. */
export function licenses(): Plugin {
  return {
    name: "licenses",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const folders = chunk.moduleIds.flatMap((id) => libraryOf(id) ?? []);
        const texts = [...new Set(folders)].sort().flatMap(licenseIn);
        // V8 would keep two bytes for each character of a file with one that is not Latin-1.
        const text = texts.join("\n\n").replaceAll("*/", "* /").replaceAll(/[“”]/g, '"');
        chunk.code += `\n/*\n${text}\n*/\n`;
      }
    },
  };
}

/** The folder of the package below node_modules that a module belongs to. */
const libraryOf = (id: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];

function licenseIn(folder: string): string[] {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file && readFileSync(path.join(folder, file), "utf8").trim();
  const manifest = path.join(folder, "package.json");
  if (!existsSync(manifest)) return [];
  const { name, version, license } = JSON.parse(readFileSync(manifest, "utf8"));
  return [`${name} ${version} (${license})${text ? `\n\n${text}` : ""}`];
}
