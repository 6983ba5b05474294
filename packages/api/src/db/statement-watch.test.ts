import { describe, expect, it } from "vitest";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { testDatabases } from "../testing/test-database.ts";
import { statementName } from "./statement-watch.ts";

it.each([
  ['select "id" from "souls" where "id" = $1', "select souls"],
  ['select (select max(id) from soul_versions) as "last" from "souls"', "select souls"],
  ["select * from store_held_reply(of_soul => $1)", "store_held_reply"],
  ["select * from reserve_units(wanted => $1)", "reserve_units"],
  ['insert into "accounts" ("username") values ($1)', "insert accounts"],
  ["\n  with held as (select 1) delete from quota_holds", "with quota_holds"],
  ["select pg_is_in_recovery()", "select"],
  ["commit", "commit"],
  ["-- a comment", "other"],
])("names a statement: %s", (text, name) => {
  expect(statementName(text)).toBe(name);
});

describe.each(testDatabases())("slow statements on %s", (database) => {
  it("are logged with text, time, rows and request id, and without values", async () => {
    // Every statement takes longer than this.
    await using hub = await startChatHub({ database, config: { slowQueryMs: 1e-9 } });
    const ada = await hub.vip("ada");
    const room = await openRoom(ada, { content: "secret-content" });
    hub.log.length = 0;
    const { headers, status } = await say(ada, room, "secret-question");
    expect(status).toBe(200);
    const lines = hub.log
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "a statement was slow");
    const stored = lines.find(({ statement }) => statement.includes("store_held_reply("));
    expect(stored).toMatchObject({ rows: 1, request_id: headers.get("x-request-id") });
    expect(stored.ms).toEqual(expect.any(Number));
    expect(JSON.stringify(lines)).not.toMatch(/secret-|lobby|shk_/);
  });

  it("are not logged below the limit", async () => {
    await using hub = await startChatHub({ database, config: { slowQueryMs: 600_000 } });
    await hub.member("ada");
    expect(hub.log.join()).not.toContain("a statement was slow");
  });
});
