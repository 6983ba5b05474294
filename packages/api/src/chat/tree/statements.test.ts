import { describe, expect, it, vi } from "vitest";
import { openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";

/** 0015, 0038: a room that never branched costs no statement more. */
describe.each(testDatabases())("the statements of a chat (on %s)", (kind) => {
  it("are as many as before, and three more for a regeneration", async () => {
    const database = await emptyDatabase(kind);
    const begin = vi.spyOn(database.statements, "begin");
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    const statementsOf = async (content: string, more: object = {}) => {
      begin.mockClear();
      const { status, body } = await say(vera, room, content, more);
      expect(status).toBe(200);
      const texts = begin.mock.calls.map(([text]) => text);
      // Usage rows and the upkeep of the database are background work.
      return {
        body,
        statements: texts.filter((text) => !/model_usage|pg_(stat|control)/.test(text)),
      };
    };
    const { body, statements } = await statementsOf("Is it dark?");
    expect(statements.map(kindOf)).toEqual([
      "caller",
      "soul",
      "room",
      "reserve_units",
      "store_held_reply",
    ]);
    const again = await statementsOf("", { regenerate: body.question_id });
    expect(again.statements.map(kindOf)).toEqual([
      ...["caller", "soul", "room", "branch_refusal", "path_summary"],
      ...["reserve_units", "store_held_reply"],
      // The change of the room's path is published.
      "changes",
    ]);
  });
});

const kinds = {
  branch_refusal: "branch_refusal",
  path_summary: "path_summary",
  reserve_units: "reserve_units",
  store_held_reply: "store_held_reply",
  newest_open_messages: "room",
  api_key_hash: "caller",
  soul_packages: "soul",
  first_open_message: "changes",
};

const kindOf = (sql: string): string =>
  Object.entries(kinds).find(([part]) => sql.includes(part))?.[1] ?? sql;
