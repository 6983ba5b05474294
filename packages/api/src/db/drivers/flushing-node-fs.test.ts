import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { copyEmbeddedTemplate } from "../../testing/test-database.ts";
import { FlushingNodeFs } from "./flushing-node-fs.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "soul-hub-flush-"));
  await copyEmbeddedTemplate(directory);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

/** Opens the database, adds a row to a table, and returns the number of rows and a setting. */
async function addRow(sync: boolean) {
  const { db, close } = await connectDatabase({ directory, sync });
  await sql`create table if not exists visits (id int)`.execute(db);
  await sql`insert into visits values (1)`.execute(db);
  const { rows } = await sql<{ visits: number; fsync: string }>`
    select count(*) as visits, current_setting('fsync') as fsync from visits`.execute(db);
  await close();
  return rows[0];
}

describe("an embedded database in a directory", () => {
  it("can be opened with flushing after it was used without, and the other way round", async () => {
    expect(await addRow(false)).toEqual({ visits: 1, fsync: "off" });
    expect(await addRow(true)).toEqual({ visits: 2, fsync: "on" });
    expect(await addRow(false)).toEqual({ visits: 3, fsync: "off" });
  });

  it("is refused if PGlite does not flush its files, but not without flushing", async () => {
    // A PGlite whose file system this one cannot extend.
    vi.spyOn(FlushingNodeFs.prototype, "init").mockImplementation(NodeFS.prototype.init);
    await expect(connectDatabase({ directory })).rejects.toMatchObject({ code: "NOT_FLUSHED" });
    expect(await addRow(false)).toEqual({ visits: 1, fsync: "off" });
  });
});
