import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";

/** What the database has beside the entities: search, its indexes and words, the clock, defaults written as text. */
const beyondEntities =
  /^(drop index "(souls|soul_words)_\w+_index"|alter table "souls" drop column "(search|title_key)"(, drop column "(search|title_key)")?|drop function if exists "hub_(now|folded|spoken|signs|title_words)"(\((text)?\))?|drop trigger if exists "note_(added|changed)_words" on "souls"|drop function if exists "souls_note_(added|changed)_words_fn"\(\)|drop function if exists "(reserve_units|store_exchange|store_first_exchange|toggle_like|move_domain_tag|change_soul)"\([a-z, ]+\)|alter table "chat_rooms" alter column "\w+" set default '0')$/;
const SCHEMA = /"worker_\w+"\./g;

describe.each(testDatabases())("the tables on %s", (kind) => {
  it("are what the entities say", async () => {
    const { pendingSchemaChanges } = await emptyDatabase(kind);
    const changes = (await pendingSchemaChanges())
      .replace(SCHEMA, "")
      .split(/;\s*/)
      .filter(Boolean);
    expect(changes.filter((change) => !beyondEntities.test(change))).toEqual([]);
  });

  it("give every text back as it was stored, also after a query has failed", async () => {
    const { db } = await emptyDatabase(kind);
    await sql`select no_such_column`.execute(db).catch(() => undefined);
    for (const text of ["\ufeffmark", "\ufeff\ufefftwo", "\ufeff", "in\ufeffside", "none"]) {
      const id = await db.transaction().execute(async (tx) => {
        const row = await tx
          .insertInto("accounts")
          .values({ username: text, username_key: text })
          .returning(["id", "username"])
          .executeTakeFirstOrThrow();
        expect(row.username).toBe(text);
        return row.id;
      });
      const found = await db
        .selectFrom("accounts")
        .select("id")
        .where("username", "=", text)
        .executeTakeFirst();
      expect(found?.id).toBe(id);
      const { username } = await db
        .selectFrom("accounts")
        .select("username")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      expect(username).toBe(text);
    }
  });
});
