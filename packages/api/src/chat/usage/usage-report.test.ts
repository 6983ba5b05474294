import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../db/entities.ts";
import { type ChatHub, openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

interface UseGiven {
  days_ago?: number;
  model?: string;
  outcome?: string;
  tokens?: number | null;
  ms?: number;
  own_key?: boolean;
}

/** docs/decisions/0013 */
describe.each(testDatabases())("GET /api/admin/usage (on %s)", (database) => {
  let hub: ChatHub;
  let db: Db;
  const report = (query = "", token = ADMIN_TOKEN) =>
    hub.guest().get(`/api/admin/usage${query}`, { authorization: `Bearer ${token}` });
  const use = (given: UseGiven) =>
    sql`insert into model_usage values (gen_random_uuid(), null, 'openai', ${given.model ?? "small"},
      'text', ${given.own_key ?? false}, ${given.tokens ?? null}, ${given.tokens ?? null}, null,
      ${given.ms ?? 1}, ${given.outcome ?? "ok"},
      hub_now() - make_interval(days => ${given.days_ago ?? 0}))`.execute(db);

  beforeAll(async () => {
    hub = await startChatHub({ database });
    db = hub.hub.database.db;
  });
  afterAll(() => hub.close());

  it("shows a call that has just ended, to the operator alone", async () => {
    const ada = await hub.vip("ada");
    const ben = await hub.vip("ben");
    const room = await openRoom(ada);
    await say(ada, room, "Hello.");
    const { status, body } = await report();
    expect(status).toBe(200);
    const tokens = { input_tokens: 11, output_tokens: expect.any(Number) };
    expect(body).toEqual({
      success: true,
      from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      to: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      total: { calls: 1, ok: 1, ...tokens },
      usage: [
        {
          day: body.to,
          provider: "openai-compatible",
          model: "text-model",
          own_key: false,
          outcome: "ok",
          calls: 1,
          ...tokens,
          median_first_token_ms: expect.any(Number),
          median_ms: expect.any(Number),
        },
      ],
      has_more: false,
    });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(6 * 86_400_000);

    expect((await report("?username=ADA")).body.total.calls).toBe(1);
    expect((await report("?username=ben")).body).toMatchObject({ usage: [], total: { calls: 0 } });
    for (const token of ["wrong-token-of-nobody", ada.apiKey, ben.apiKey]) {
      const refused = await report("", token);
      expect([refused.status, refused.body.error]).toEqual([404, "not_found"]);
    }
  });

  it("adds up by day, provider, model and outcome, the newest day first", async () => {
    await db.deleteFrom("model_usage").execute();
    await use({ tokens: 10, ms: 100 });
    await use({ tokens: 20, ms: 200 });
    await use({ tokens: null, ms: 900 });
    await use({ outcome: "provider_failed" });
    await use({ model: "large", tokens: 2_000_000_000 });
    await use({ model: "large", tokens: 2_000_000_000 });
    await use({ model: "large", own_key: true });
    await use({ days_ago: 2, tokens: 5 });
    await use({ days_ago: 7 });
    const { body } = await report();
    const [today = "", before = ""] = [body.to, body.usage.at(-1).day];
    expect(Date.parse(today) - Date.parse(before)).toBe(2 * 86_400_000);
    const line = (entry: Record<string, unknown>) =>
      ["day", "model", "own_key", "outcome", "calls", "input_tokens"].map((name) => entry[name]);
    expect(body.usage.map(line)).toEqual([
      [today, "small", false, "ok", 3, 30],
      [today, "large", false, "ok", 2, 4_000_000_000],
      [today, "own-key", true, "ok", 1, null],
      [today, "small", false, "provider_failed", 1, null],
      [before, "small", false, "ok", 1, 5],
    ]);
    expect(body.usage[0].median_ms).toBe(200);
    expect(body.total).toEqual({
      calls: 8,
      ok: 7,
      input_tokens: 4_000_000_035,
      output_tokens: 4_000_000_035,
    });
    expect((await report("?days=1")).body.total.calls).toBe(7);
    expect((await report("?days=90")).body.total.calls).toBe(9);
  });

  it("comes with at most 1,000 entries; the total has the rest", async () => {
    await db.deleteFrom("model_usage").execute();
    await sql`insert into model_usage
      select gen_random_uuid(), null, 'openai', 'model-' || n, 'text', false, 1, 1, 1, 1, 'ok', hub_now()
      from generate_series(1, 1001) n`.execute(db);
    const { body } = await report();
    expect([body.usage.length, body.has_more, body.total.calls]).toEqual([1_000, true, 1_001]);
  });

  it("is not filled by the names that people give models behind their own keys", async () => {
    const mia = await hub.member("mia");
    await db.deleteFrom("model_usage").execute();
    await sql`insert into model_usage
      select gen_random_uuid(), (select id from accounts where username = ${mia.name}), 'openai',
        'model-' || n, 'text', true, 1, 1, 1, 1, 'ok', hub_now()
      from generate_series(1, 1001) n`.execute(db);
    await use({});
    const { body } = await report();
    expect(body.usage).toMatchObject([
      { model: "own-key", own_key: true, calls: 1_001, input_tokens: 1_001 },
      { model: "small", own_key: false, calls: 1, input_tokens: null },
    ]);
    const named = (await report("?username=mia")).body;
    expect([named.usage.length, named.usage[0].model]).toEqual([1_000, "model-1"]);
  });

  it("tells no tokens where no provider told any", async () => {
    await db.deleteFrom("model_usage").execute();
    expect((await report()).body.total).toMatchObject({ calls: 0, input_tokens: 0 });
    await use({ outcome: "provider_failed" });
    expect((await report()).body.total).toMatchObject({ calls: 1, input_tokens: null });
  });

  it.each([
    ["?days=0", 400, "invalid_input"],
    ["?days=91", 400, "invalid_input"],
    ["?days=soon", 400, "invalid_input"],
    ["?username=nobody-here", 404, "user_not_found"],
  ])("%s: %i %s", async (query, status, error) => {
    const answer = await report(query);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
