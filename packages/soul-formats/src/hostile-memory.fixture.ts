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
console.log(JSON.stringify({ refused, bytes: (await peak()) - before }));

/** The largest memory of this program. On Linux, `maxRSS` is at least that of its parent. */
async function peak(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes ?? process.resourceUsage().maxRSS) * 1024;
}
