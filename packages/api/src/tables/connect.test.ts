import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";

/**
 * Schema differences that the test ignores. The entities do not describe functions, triggers,
 * generated columns, or indexes with expressions or conditions.
 */
const notInEntities = [
  /^drop (function|trigger) if exists /,
  /^drop table if exists "(sql_functions|hub_schema|hub_identity|vector_model|soul_vectors|soul_terms|soul_word_changes)"/,
  /^drop index "(souls_\w+_index|accounts_watched_index)"$/,
  // A unique index of an entity would be a constraint, which cannot be added concurrently.
  /^drop index "soul_versions_(number_unique|unnumbered_index|package_id_index)"$/,
  // Entities do not describe an operator class, nor an expression as the database writes it.
  /^drop index "(chat_rooms_guest_souls_index|chat_messages_addressed_index)"$/,
  /^alter table "souls" drop column "(search|title_key)"(, drop column "(search|title_key)")?$/,
  /^alter table "(accounts|chat_rooms|chat_messages|room_people)" alter column "\w+" set default '0'$/,
];

describe.each(testDatabases())("the schema on %s", (kind) => {
  it("agrees with the entities", async () => {
    const { pendingSchemaChanges } = await emptyDatabase(kind);
    const changes = (await pendingSchemaChanges()).split(/;\s*/).filter(Boolean);
    expect(changes.filter((change) => !notInEntities.some((one) => one.test(change)))).toEqual([]);
  });

  it("stores texts with byte order marks unchanged, also after a failed query", async () => {
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
