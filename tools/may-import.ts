/**
 * `pnpm may-import <folder>` prints what the files of a folder may import, as the rules of
 * `.dependency-cruiser.mjs` decide.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { layers } from "./layers.ts";

type Patterns = string | string[];
interface Rule {
  name: string;
  comment: string;
  from: { path?: Patterns; pathNot?: Patterns };
  to: { path?: Patterns; pathNot?: Patterns };
}

const root = path.join(import.meta.dirname, "..");
const { default: config } = await import(path.join(root, ".dependency-cruiser.mjs"));
const rules: Rule[] = config.forbidden;

const matchOf = (patterns: Patterns, file: string) =>
  [patterns]
    .flat()
    .map((pattern) => new RegExp(pattern).exec(file))
    .find((match) => match);
const begins = ({ from }: Rule, file: string) =>
  matchOf(from.path ?? "", file) && !matchOf(from.pathNot ?? [], file);
/** Reports whether a rule forbids the import of one file by another. */
function forbids(rule: Rule, file: string, imported: string): boolean {
  if (!rule.to.path || !begins(rule, file)) return false;
  const [, group = ""] = matchOf(rule.from.path ?? "", file) ?? [];
  const but = [rule.to.pathNot ?? []].flat().map((pattern) => pattern.replace("$1", group));
  return matchOf(rule.to.path, imported) !== undefined && !matchOf(but, imported);
}

const isProgram = (file: string) => !/[.](test|fixture)[.]|[/]testing[/]/.test(file);
/** Returns the files of a layer, those of rules and shapes first. */
const filesOf = (layer: string) =>
  [
    ...globSync(`${layer}/**/*.{ts,tsx}`, { cwd: root }),
    ...globSync(`${layer}.{ts,tsx}`, { cwd: root }),
  ]
    .filter(isProgram)
    .sort(
      (a, b) => Number(/[.](entity|router)[.]/.test(a)) - Number(/[.](entity|router)[.]/.test(b)),
    );

/** Returns the lines for a folder, e.g. `packages/api/src/rooms/log`. */
export function mayImport(folder: string): string[] {
  const files = filesOf(folder);
  const rulesFiles = files.filter((file) => !/[.](entity|schema|router)[.]/.test(file));
  const list = (names: readonly string[]) => names.join(", ") || "nothing";
  const lines = ["Program files may import (tests and fixtures also test support, and any layer):"];
  let around = folder;
  for (const [parent, names] of Object.entries(layers)) {
    if (!folder.startsWith(`${parent}/`)) continue;
    const own = folder.slice(parent.length + 1).split("/")[0];
    around = `${parent}/${own}`;
    const by = { all: [] as string[], routers: [] as string[], none: [] as string[] };
    for (const name of names.filter((name) => name !== own)) {
      const [imported = ""] = filesOf(`${parent}/${name}`);
      const isFree = (file: string) => !rules.some((rule) => forbids(rule, file, imported));
      const free = (rulesFiles.length > 0 ? rulesFiles : files).every(isFree);
      const routers = files.filter((file) => file.includes(".router."));
      const inRouters = routers.length > 0 && routers.every(isFree);
      by[free ? "all" : inRouters ? "routers" : "none"].push(name);
    }
    lines.push(`In ${parent}, ${own} may import: ${list(by.all)}`);
    if (by.routers.length > 0) lines.push(`  Its routers alone may import: ${list(by.routers)}`);
    if (by.none.length > 0) lines.push(`  It may not import: ${list(by.none)}`);
  }
  const inside = layers[folder];
  if (inside) lines.push(`Inside, each imports only those before it: ${list(inside)}`);
  else lines.push(`The files of ${around} may import each other`);
  const manifest = path.join(root, ...folder.split("/").slice(0, 2), "package.json");
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  // soul-hub and soul-hub-server are bundles, whose packages are devDependencies.
  const named = folder.startsWith("apps/soul-hub") ? devDependencies : dependencies;
  const packages = Object.keys(named).filter((name) => name.startsWith("@soul-hub/"));
  lines.push(`Packages of the workspace, by name: ${list(packages)}`);
  lines.push("Except by these rules:");
  const isOfLayers = /-imports-only-lower-layers$|-reaches-leftward-only$/;
  for (const rule of rules) {
    const isOfFolder = files.some((file) => begins(rule, file));
    if (isOfFolder && !isOfLayers.test(rule.name)) lines.push(`- ${rule.comment}`);
  }
  return lines;
}

if (import.meta.main) {
  const folder = path.relative(root, path.resolve(process.argv[2] ?? ""));
  const isProgramFolder = /^(apps|packages)\/[^/]+\/src/.test(folder) && filesOf(folder).length > 0;
  const usage = "usage: pnpm may-import <folder in src, with program files>";
  console.log(isProgramFolder ? mayImport(folder).join("\n") : usage);
}
