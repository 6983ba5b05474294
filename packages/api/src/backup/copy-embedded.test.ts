import { mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import { eventually } from "../testing/eventually.ts";
import { copyEmbeddedTemplate } from "../testing/test-database.ts";
import { copyEmbedded } from "./copy-embedded.ts";

const GIGABYTE = 1024 ** 3;

/** A hub that stops has 10 s, and a copy of its database may take minutes. */
it("ends in the middle of a file when the hub stops, and the next copy is whole", async () => {
  const place = await mkdtemp(path.join(tmpdir(), "soul-hub-copy-"));
  const directory = path.join(place, "database");
  await copyEmbeddedTemplate(directory);
  const database = await connectDatabase({ directory, sync: false });
  await sql`insert into accounts (username, username_key) values ('ada', 'ada')`.execute(
    database.db,
  );
  const large = path.join(directory, "base", "large");
  await writeFile(large, "");
  await truncate(large, GIGABYTE);

  const stop = new AbortController();
  const broken = path.join(place, "broken");
  const copying = copyEmbedded(database.db, directory, { to: broken, signal: stop.signal });
  const ending = expect(copying).rejects.toThrow("The hub stops.");
  const target = path.join(broken, "base", "large");
  await eventually(async () => expect((await stat(target)).size).toBeGreaterThan(0));
  stop.abort(new Error("The hub stops."));
  await ending;
  expect((await stat(target)).size).toBeLessThan(GIGABYTE);

  await rm(large);
  const to = path.join(place, "copy");
  await copyEmbedded(database.db, directory, { to, signal: new AbortController().signal });
  await database.close();
  const copy = await connectDatabase({ directory: to, sync: false });
  const { rows } = await sql`select username from accounts`.execute(copy.db);
  expect(rows).toEqual([{ username: "ada" }]);
  await copy.close();
  await rm(place, { recursive: true });
});
