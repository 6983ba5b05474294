import { type Compilable, createQueryId, type KyselyPlugin } from "kysely";
import { describe, expect, it } from "vitest";
import { openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";

/**
 * 0015, 0038: a room that never branched costs no statement more. The fifth statement, the read of
 * the soul, is compiled once and so not seen here.
 */
describe.each(testDatabases())("the statements of a chat (on %s)", (kind) => {
  it("are as many as before, and three more for a regeneration", async () => {
    const database = await emptyDatabase(kind);
    const seen: string[] = [];
    const counter: KyselyPlugin = {
      transformQuery({ node }) {
        const { sql } = database.db.getExecutor().compileQuery(node, createQueryId()) as ReturnType<
          Compilable["compile"]
        >;
        // Usage rows and the upkeep of the database are background work.
        if (!/model_usage|pg_(stat|control)/.test(sql)) seen.push(sql);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await using hub = await startChatHub({
      database: { ...database, db: database.db.withPlugin(counter) },
    });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    const statementsOf = async (content: string, more: object = {}) => {
      seen.length = 0;
      const { status, body } = await say(vera, room, content, more);
      expect(status).toBe(200);
      return { body, statements: [...seen] };
    };
    const { body, statements } = await statementsOf("Is it dark?");
    expect(statements.map(kindOf)).toEqual(["caller", "room", "reserve_units", "store_reply"]);
    const again = await statementsOf("", { regenerate: body.question_id });
    expect(again.statements.map(kindOf)).toEqual([
      ...["caller", "room", "branch_refusal", "path_summary", "reserve_units", "store_reply"],
      // The change of the room's path is published.
      "changes",
    ]);
  });
});

const kinds = {
  branch_refusal: "branch_refusal",
  path_summary: "path_summary",
  reserve_units: "reserve_units",
  store_reply: "store_reply",
  newest_open_messages: "room",
  api_key_hash: "caller",
  first_open_message: "changes",
};

const kindOf = (sql: string): string =>
  Object.entries(kinds).find(([part]) => sql.includes(part))?.[1] ?? sql;
