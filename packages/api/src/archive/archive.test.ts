import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { pgliteCopy } from "./pglite-copy.ts";
import { writeArchive } from "./write-archive.ts";
import { readArchive } from "./read-archive.ts";
import { embeddedTarget } from "./restore-target.ts";
import { fillFromArchive } from "./fill-from-archive.ts";

it("works", async () => {
  const target = await embeddedTarget();
  await target.migrateToNewest();
  for (let i = 0; i < 50; i++) {
    await target.port.query("insert into accounts (username, username_key) values ($1, $1)", [`u\n${i}\t\\N`]);
  }
  const out = new PassThrough();
  const whole = buffer(out);
  await writeArchive(target.port, { app: "x", keys: [] }, out);
  const archive = await whole;
  console.log(archive.length);
  const t2 = await embeddedTarget();
  const entries = readArchive(Readable.from([archive]));
  const first = (await entries.next()).value;
  if (!first || !("manifest" in first)) throw new Error();
  console.log(JSON.stringify(first.manifest).slice(0, 300));
  console.log(await fillFromArchive(t2, first.manifest, entries));
  for (const cut of [10, 1000, archive.length - 10, archive.length - 1]) {
    const e = readArchive(Readable.from([archive.subarray(0, cut)]));
    await expect((async () => { for await (const _ of e); })()).rejects.toMatchObject({ code: "damaged_archive" });
  }
  let silent = 0;
  for (let at = 0; at < archive.length; at += 97) {
    const bad = Buffer.from(archive); bad[at] ^= 0x10;
    const e = readArchive(Readable.from([bad]));
    try { for await (const _ of e); silent++; console.log("silent", at) } catch (error) { if ((error as any).code !== "damaged_archive") throw error; }
  }
  console.log({ silent });
});
