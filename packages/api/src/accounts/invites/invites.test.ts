import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweepExpired } from "../../tables/expired-rows.ts";
import { type Actor, createActor } from "../../testing/actor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "../../testing/test-hub.ts";

/** Registration by invite (0058). */
describe.each(testDatabases())("invites on %s", (database) => {
  let hub: TestHub;
  let operator: Actor;
  beforeAll(async () => {
    hub = await startTestHub({ database });
    operator = createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url });
  });
  beforeEach(async () => {
    hub.hub.config.registration = "invite";
    await hub.moveClock("0");
  });
  afterAll(() => hub.close());

  let names = 0;
  const register = (more: object = {}) => {
    const username = `person-${++names}`;
    const fields = { username, password: PASSWORD, email: "p@example.org", ...more };
    return hub.guest().post("/api/register", fields);
  };
  const invite = async (more: object = {}) =>
    (await operator.post("/api/admin/invites", { uses: 1, days: 30, ...more })).body;
  const listed = async () => (await operator.get("/api/admin/invites")).body.data;
  const failure = ({ status, body }: { status: number; body: { error: string } }) =>
    `${status} ${body.error}`;

  it("of 5 uses make 5 accounts of 50 registrations at once", async () => {
    const { id, code } = await invite({ uses: 5 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => register({ invite: code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 200).map(failure);
    expect(new Set(refused)).toEqual(new Set(["400 invite_invalid"]));
    expect((await listed()).find((one: { id: number }) => one.id === id)).toMatchObject({
      uses: 5,
      used: 5,
    });
  });

  it("are returned once, with a link whose code no server sees", async () => {
    const made = await invite({ note: "for the reading group" });
    expect(made).toEqual({
      success: true,
      id: expect.any(Number),
      code: expect.stringMatching(/^[\w-]{24}$/),
      url: `${hub.url}/sign-up#invite=${made.code}`,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
    const [newest] = await listed();
    expect(newest).toMatchObject({ id: made.id, used: 0, note: "for the reading group" });
    expect(JSON.stringify(await listed())).not.toContain(made.code);
  });

  it("keep their use if the name is taken", async () => {
    const { code } = await invite();
    expect(failure(await register({ invite: code, username: "person-1" }))).toMatch("409");
    expect((await register({ invite: code })).status).toBe(200);
    expect(failure(await register({ invite: code }))).toBe("400 invite_invalid");
  });

  it("are refused once expired or withdrawn, and deleted later", async () => {
    const expired = await invite({ days: 1 });
    const withdrawn = await invite();
    expect((await operator.delete(`/api/admin/invites/${withdrawn.id}`)).status).toBe(200);
    await hub.moveClock("2 days");
    for (const { code } of [expired, withdrawn]) {
      expect(failure(await register({ invite: code }))).toBe("400 invite_invalid");
    }
    const ids = async () => (await listed()).map(({ id }: { id: number }) => id);
    expect(await ids()).not.toContain(expired.id);
    await hub.moveClock("32 days");
    await sweepExpired(hub.hub.database.db, "invites");
    await hub.moveClock("0");
    expect(await ids()).not.toContain(expired.id);
  });

  it("are at most 1,000", async () => {
    const { db } = hub.hub.database;
    await sql`insert into invites (code_hash, uses, expires_at)
      select 'hash-' || i, 1, hub_now() + interval '1 day' from generate_series(1, 1000) as i`.execute(
      db,
    );
    expect((await invite()).error).toBe("limit_reached");
    await sql`delete from invites where code_hash like 'hash-%'`.execute(db);
  });

  it("are needed or not, as the hub says", async () => {
    expect(failure(await register())).toBe("403 registration_closed");
    const { code } = await invite();
    hub.hub.config.registration = "closed";
    expect(failure(await register({ invite: code }))).toBe("403 registration_closed");
    hub.hub.config.registration = "open";
    expect((await register({ invite: "unknown" })).status).toBe(200);
  });
});
