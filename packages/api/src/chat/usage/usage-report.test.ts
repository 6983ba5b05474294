import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Db } from "../../db/database.ts";
import { failureOf, openRoom, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

interface Row {
  days_ago?: number;
  model?: string;
  outcome?: string;
  tokens?: number | null;
  ms?: number;
  own_key?: boolean;
}

/** The operator's report of model calls (docs/decisions/0013). */
describeChat("GET /api/admin/usage", {}, (hub) => {
  let db: Db;
  const report = (query = "", token = ADMIN_TOKEN) =>
    hub.guest().get(`/api/admin/usage${query}`, { authorization: `Bearer ${token}` });
  const insertRow = (given: Row) =>
    sql`insert into model_usage values (gen_random_uuid(), null, 'openai', ${given.model ?? "small"},
      'text', ${given.own_key ?? false}, ${given.tokens ?? null}, ${given.tokens ?? null}, null,
      ${given.ms ?? 1}, ${given.outcome ?? "ok"},
      hub_now() - make_interval(days => ${given.days_ago ?? 0}))`.execute(db);

  beforeAll(() => {
    db = hub.hub.database.db;
  });
  beforeEach(async () => {
    await hub.hub.modelUsage.flush();
    await db.deleteFrom("model_usage").execute();
  });

  it("contains a call that has just ended, for the operator only", async () => {
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
          day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
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
      expect(failureOf(await report("", token))).toEqual([404, "not_found"]);
    }
  });

  it("groups by day, provider, model and outcome, the newest day first", async () => {
    await insertRow({ tokens: 10, ms: 100 });
    await insertRow({ tokens: 20, ms: 200 });
    await insertRow({ tokens: null, ms: 900 });
    await insertRow({ outcome: "provider_failed" });
    await insertRow({ model: "large", tokens: 2_000_000_000 });
    await insertRow({ model: "large", tokens: 2_000_000_000 });
    await insertRow({ model: "large", own_key: true });
    await insertRow({ days_ago: 2, tokens: 5 });
    await insertRow({ days_ago: 7 });
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

  it("returns at most 1,000 entries; the total covers all", async () => {
    await sql`insert into model_usage
      select gen_random_uuid(), null, 'openai', 'model-' || n, 'text', false, 1, 1, 1, 1, 'ok', hub_now()
      from generate_series(1, 1001) n`.execute(db);
    const { body } = await report();
    expect([body.usage.length, body.has_more, body.total.calls]).toEqual([1_000, true, 1_001]);
  });

  it("groups the models of own keys, unless restricted to one account", async () => {
    const mia = await hub.member("mia");
    await sql`insert into model_usage
      select gen_random_uuid(), (select id from accounts where username = ${mia.name}), 'openai',
        'model-' || n, 'text', true, 1, 1, 1, 1, 'ok', hub_now()
      from generate_series(1, 1001) n`.execute(db);
    await insertRow({});
    const { body } = await report();
    expect(body.usage).toMatchObject([
      { model: "own-key", own_key: true, calls: 1_001, input_tokens: 1_001 },
      { model: "small", own_key: false, calls: 1, input_tokens: null },
    ]);
    const named = (await report("?username=mia")).body;
    expect([named.usage.length, named.usage[0].model]).toEqual([1_000, "model-1"]);
  });

  it("returns null tokens if no provider reported any", async () => {
    expect((await report()).body.total).toMatchObject({ calls: 0, input_tokens: 0 });
    await insertRow({ outcome: "provider_failed" });
    expect((await report()).body.total).toMatchObject({ calls: 1, input_tokens: null });
  });

  it.each([
    ["?days=0", 400, "invalid_input"],
    ["?days=91", 400, "invalid_input"],
    ["?days=soon", 400, "invalid_input"],
    ["?username=nobody-here", 404, "user_not_found"],
  ])("%s: %i %s", async (query, status, error) => {
    expect(failureOf(await report(query))).toEqual([status, error]);
  });
});
