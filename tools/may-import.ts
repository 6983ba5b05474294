/**
 * `pnpm may-import <folder>` prints what the files of a folder may import: the layers before it in
 * tools/layers.ts, and the rules of `.dependency-cruiser.mjs` for its files.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { layers } from "./layers.ts";

interface Rule {
  name: string;
  comment: string;
  from: { path?: string; pathNot?: string | string[] };
}

const root = path.join(import.meta.dirname, "..");
const { default: config } = await import(path.join(root, ".dependency-cruiser.mjs"));
const [argument = ""] = process.argv.slice(2);
const folder = path.relative(root, path.resolve(argument));
const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root });
const file = files.find((name) => !/[.](test|fixture)[.]/.test(name));
if (!file) throw new Error(`"${argument}" is no folder with code.`);

const list = (names: readonly string[]) => names.join(", ") || "nothing";
for (const [parent, names] of Object.entries(layers)) {
  if (!folder.startsWith(`${parent}/`)) continue;
  const name = folder.slice(parent.length + 1).split("/")[0] ?? "";
  const at = names.indexOf(name);
  console.log(`In ${parent}, ${name} may import: ${list(names.slice(0, at))}`);
  console.log(`  It may not import: ${list(names.slice(at + 1))}`);
}
const manifest = path.join(root, ...folder.split("/").slice(0, 2), "package.json");
const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
const packages = Object.keys(dependencies).filter((name) => name.startsWith("@soul-hub/"));
console.log(`Packages of the workspace that it may import: ${list(packages)}`);
const matches = (patterns: string | string[] = []) =>
  [patterns].flat().some((pattern) => new RegExp(pattern).test(file));
for (const { name, comment, from } of config.forbidden as Rule[]) {
  const isLayer = name.endsWith("-imports-only-lower-layers");
  if (isLayer || (from.path && !matches(from.path)) || matches(from.pathNot)) continue;
  console.log(`- ${comment}`);
}
