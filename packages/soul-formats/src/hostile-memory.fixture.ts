import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { readSoulFile } from "./index.ts";

// A program of its own: reads every file of a folder as a soul, one after another, and prints how
// many were refused and how many bytes of memory that took at most.

const [folder = ""] = process.argv.slice(2);
const names = await readdir(folder);
const before = process.memoryUsage.rss();
let refused = 0;
for (const name of names) {
  const bytes = await readFile(path.join(folder, name));
  await readSoulFile(bytes, new Set()).catch(() => refused++);
}
const peak = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ refused, bytes: peak - before }));
