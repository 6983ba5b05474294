import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { connectDatabase, migrations } from "./connect.ts";
import { openPglite } from "./pglite.ts";

/** The hub of before migration 0010, with souls in it. */
async function leaveOlderDatabase(dataDir: string): Promise<void> {
  const pglite = await openPglite({ dataDir, extensions: { pg_trgm } });
  const orm = await MikroORM.init({
    dbName: "hub",
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations.filter(
        ({ name }) => name !== "WordsAsTheyAreSaid" && name !== "WordsOfSouls",
      ),
      snapshot: false,
    },
    driverOptions: { pglite },
    logger: () => undefined,
  });
  await orm.migrator.up();
  await pglite.exec(`insert into accounts (username, username_key) values ('ada', 'ada');
    insert into souls (user_id, title, description, content, file_type, domain, is_public)
    values (1, 'Read/Write Helper', 'Speaks ΟΔΟΣ.', '# Kept', 'single_md', 'path/file', 1),
      (1, 'Hidden', 'read and write', 'x', 'single_md', '', 0)`);
  await orm.close();
  await pglite.close();
}

describe("an older database", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "older-hub-"));
    await leaveOlderDatabase(directory);
  }, 120_000);
  afterAll(() => rm(directory, { recursive: true }));

  it("keeps its souls, and they are found as new ones are", async () => {
    await using hub = await startTestHub({ database: await connectDatabase({ directory }) });
    const { body } = await hub.guest().get("/api/soul/1");
    expect(body.data).toMatchObject({ title: "Read/Write Helper", content: "# Kept" });
    for (const q of ["write", "file", "οδος", "read/write"]) {
      const found = await hub.guest().get(`/api/souls?q=${encodeURIComponent(q)}`);
      expect([q, found.body.data.map(({ id }: { id: number }) => id)]).toEqual([q, [1]]);
    }
  });
});
