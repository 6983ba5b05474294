import { describe, expect, it } from "vitest";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";

/** What the database has beside the entities: search, its indexes, the clock, defaults written as text. */
const beyondEntities =
  /^(drop index "souls_\w+_index"|alter table "souls" drop column "search"|drop function if exists "hub_now"(\(\))?|alter table "chat_rooms" alter column "\w+" set default '0')$/;
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
});
