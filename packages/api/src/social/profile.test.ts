import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PeopledHub, startPeopledHub, upTo } from "../souls/souls.fixture.ts";
import { ruleDatabase } from "../testing/test-database.ts";

describe("GET /api/profile", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  afterAll(() => hub.close());

  const profile = (username: string, reader = hub.guest()) =>
    reader.get(`/api/profile?${new URLSearchParams({ username })}`);

  it("returns the user, the statistics and the public souls", async () => {
    const owner = await hub.member("Olga");
    const first = await hub.publish({ title: "first" }, owner);
    const second = await hub.publish({ title: "second" }, owner);
    const hidden = await hub.publish({ title: "hidden" }, owner);
    for (const id of [first, second, hidden]) {
      await hub.ada.post("/api/like", { soul_id: id });
      await hub.ada.post("/api/fork", { soul_id: id });
    }
    await hub.bob.post("/api/like", { soul_id: first });
    await hub.bob.post("/api/rate", { soul_id: first, rating: 4 });
    await owner.put(`/api/soul/${hidden}`, { is_public: 0 });
    const { status, body, text } = await profile("Olga");
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      user: {
        username: "Olga",
        joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
      stats: { total_souls: 2, total_likes: 3, total_forks: 2 },
      souls: [expect.objectContaining({ id: second }), expect.objectContaining({ id: first })],
    });
    const listed = (await hub.guest().get("/api/souls?q=first&match=text")).body.data[0];
    expect(body.souls[1]).toEqual(listed);
    for (const secret of ["hidden", "example.org", "content", "api_key"]) {
      expect(text).not.toContain(secret);
    }
  });

  it("omits private souls, also for their owner", async () => {
    const owner = await hub.member("petra");
    await hub.publish({ is_public: 0 }, owner);
    const { body } = await profile("petra", owner);
    expect([body.stats, body.souls]).toEqual([
      { total_souls: 0, total_likes: 0, total_forks: 0 },
      [],
    ]);
  });

  it("ignores the case of the name", async () => {
    await hub.member("MixedCase");
    expect((await profile("mixedCASE")).body.user.username).toBe("MixedCase");
  });

  it("lists the newest 100 and counts all", async () => {
    const owner = await hub.member("busy");
    const ids = [];
    for (const n of upTo(102)) ids.push(await hub.publish({ title: `s${n}` }, owner));
    const { body } = await profile("busy");
    expect(body.stats.total_souls).toBe(102);
    expect(body.souls.map(({ id }: { id: number }) => id)).toEqual(ids.reverse().slice(0, 100));
  });

  it.each([
    ["an unknown user", "?username=nobody-here", 404, "user_not_found"],
    ["an invalid name", "?username=%25", 404, "user_not_found"],
    ["an empty name", "?username=", 404, "user_not_found"],
    ["no name", "", 400, "invalid_input"],
    ["two names", "?username=ada&username=bob", 400, "invalid_input"],
    ["a name of 255 characters", `?username=${"a".repeat(255)}`, 400, "invalid_input"],
  ])("responds to %s (%s) with %i %s", async (_, query, status, error) => {
    const answer = await hub.guest().get(`/api/profile${query}`);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
