import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { connectDatabase } from "../../tables/connect.ts";
import { inMemory, readPackage, storePackage } from "./packages.queries.ts";

// A program of its own: stores a package of one file in an embedded database, reads it back, and
// prints how many bytes of memory each took at most.

const [directory = "", size = ""] = process.argv.slice(2);
const database = await connectDatabase({ directory });
const store = (bytes: Uint8Array) =>
  storePackage(database.db, {
    userId: 1,
    files: inMemory([{ path: "picture.png", bytes }]),
    nickname: null,
    maxBytes: Number.POSITIVE_INFINITY,
  });
const bytes = randomBytes(Number(size));
// The engine compiles the database's code meanwhile, which takes memory of its own.
for (let nth = 1; nth <= 200; nth++) {
  await readPackage(database.db, await store(bytes.subarray(0, 100 * nth)));
}

const beforeStoring = await beginPeak();
const id = await store(bytes);
const stored = (await peak()) - beforeStoring;
let read = Number.POSITIVE_INFINITY;
let isSame = true;
// The collector may run late. The smallest of three peaks has the least of its garbage.
for (let nth = 0; nth < 3; nth++) {
  const beforeReading = await beginPeak();
  const [file] = await readPackage(database.db, id);
  read = Math.min(read, (await peak()) - beforeReading);
  isSame &&= file !== undefined && bytes.equals(file.bytes);
}
console.log(JSON.stringify({ isSame, stored, read }));
await database.close();

/** Forgets the largest memory so far, where the system can, and returns the present one. */
async function beginPeak(): Promise<number> {
  global.gc?.();
  await writeFile("/proc/self/clear_refs", "5").catch(() => undefined);
  return process.memoryUsage.rss();
}

async function peak(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes ?? process.resourceUsage().maxRSS) * 1024;
}
