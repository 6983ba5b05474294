import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";
import { connectDatabase } from "./connect.ts";
import { lastingDatabase } from "./lasting-database.fixture.ts";
import { prepareQuery } from "./prepared-query.ts";

describe.each(testDatabases())("prepareQuery on %s", (kind) => {
  it("runs one query with other values, wherever they are in its text", async () => {
    const database = await emptyDatabase(kind);
    const { db } = database;
    const greet = prepareQuery(db, (name: string, ages: number[]) =>
      db
        .selectFrom(sql<{ age: number }>`unnest(${ages}::int[])`.as<"people">(sql`people (age)`))
        .select(["age", sql<string>`${"Hello, "} || ${name}::text || ${name}::text`.as("text")])
        .where("age", ">", sql<number>`${17}::int`),
    );
    expect(await greet("a", [12, 40])).toEqual([{ age: 40, text: "Hello, aa" }]);
    expect(await greet("b", [18])).toEqual([{ age: 18, text: "Hello, bb" }]);
    await database.close();
  });

  it("prepares the reads of a chat once per connection (0015)", async () => {
    await using lasting = await lastingDatabase(kind);
    const database = await connectDatabase({ ...lasting.options, poolSize: 1 });
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Is it dark?");
    await say(vera, room, "And now?");
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where statement like '%/* prepared */'
        and statement not like 'select *%'`.execute(database.db);
    const froms = rows.map(({ statement }) => /.* from "(\w+)"/s.exec(statement)?.[1]);
    expect(froms.filter((table) => table !== "sessions").sort()).toEqual([
      "accounts",
      "chat_rooms",
      "souls",
    ]);
  });
});
