import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { connectDatabase } from "../../tables/connect.ts";
import { inMemory, readPackage, storePackage } from "./packages.queries.ts";

// A program of its own: stores a package of one file in an embedded database, reads it back, and
// prints how many bytes of memory each took at most. Garbage is collected after every statement, so
// that the figures do not depend on when the collector runs.

const [directory = "", size = ""] = process.argv.slice(2);
const database = await connectDatabase({ directory });
const db = database.db.withPlugin({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    global.gc?.();
    return result;
  },
});
const store = (bytes: Uint8Array) =>
  storePackage(db, {
    userId: 1,
    files: inMemory([{ path: "picture.png", bytes }]),
    nickname: null,
    maxBytes: Number.POSITIVE_INFINITY,
  });
const bytes = randomBytes(Number(size));
// The engine compiles the database's code meanwhile, which takes memory of its own.
for (let nth = 1; nth <= 20; nth++) {
  await readPackage(db, await store(bytes.subarray(0, 100 * nth)));
}

const beforeStoring = await beginPeak();
const id = await store(bytes);
const stored = (await peak()) - beforeStoring;
const beforeReading = await beginPeak();
const [file] = await readPackage(db, id);
const read = (await peak()) - beforeReading;
const isSame = file !== undefined && bytes.equals(file.bytes);
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
