import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { type Actor, createActor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { testDatabases } from "../testing/test-database.ts";
import { ADMIN_TOKEN } from "../testing/test-hub.ts";
import { auditHash, NO_ROW } from "./audit-chain.ts";
import { writeAudit } from "./write-audit.ts";

/** The audit log, and roles, whose changes it holds (0057). */
describeHub("the audit log", { databases: testDatabases() }, (hub) => {
  let operator: Actor;
  let amy: Actor;
  const db = () => hub.hub.database.db;
  const setRole = (username: string, role: string, by = operator) =>
    by.put("/api/admin/role", { username, role });
  const read = async (query = "", by = operator) =>
    (await by.get(`/api/admin/audit?${query}`)).body;

  beforeAll(async () => {
    operator = createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url });
    amy = await hub.member("amy");
    await setRole("amy", "admin");
  });

  it("holds what the operator and admins do, newest first", async () => {
    await hub.pass(amy, "vip");
    const { body } = await amy.post("/api/admin/invites", { uses: 2, days: 1 });
    const log = await read("limit=2");
    expect(log).toMatchObject({ count: 2, next_cursor: log.data[1].id });
    expect(log.data[0]).toMatchObject({
      actor_name: "amy",
      action: "create-invite",
      target: `invite:${body.id}`,
      detail: '{"uses":2,"days":1}',
    });
    expect(log.data[1]).toMatchObject({ actor: "operator", action: "grant-pass" });
    const older = await read(`before_id=${log.next_cursor}`);
    expect(older.data.map(({ action }: { action: string }) => action)).toContain("set-role");
    expect((await read("actor=AMY")).data).toHaveLength(1);
    expect((await read("action=set-role")).data[0]).toMatchObject({ target_name: "amy" });
    expect((await read("actor=nobody-here")).error).toBe("user_not_found");
  });

  it("is for admins and the operator; the operator alone gives roles", async () => {
    const mia = await hub.member("mia");
    expect((await setRole("mia", "moderator", amy)).status).toBe(404);
    expect((await setRole("MIA", "moderator")).body.message).toBe("mia is a moderator.");
    expect((await mia.get("/api/me")).body.user.role).toBe("moderator");
    expect((await read("", mia)).error).toBe("not_found");
    expect((await read("", amy)).success).toBe(true);
    await setRole("mia", "member");
    const browser = await hub.signIn("amy");
    expect((await read("", browser)).success).toBe(true);
    const crossSite = { "sec-fetch-site": "cross-site" };
    const invite = await browser.post("/api/admin/invites", { uses: 1, days: 1 }, crossSite);
    expect(invite.body.error).toBe("csrf_rejected");
  });

  it("chains rows that are written at once, without gaps", async () => {
    const entry = { actor: "operator", action: "test", target: "hub" };
    await Promise.all(Array.from({ length: 20 }, () => writeAudit(db(), entry)));
    const { data } = await read("limit=500");
    let previous = NO_ROW;
    for (const [at, row] of data.toReversed().entries()) {
      expect([row.id, row.previous_hash]).toEqual([at + 1, previous]);
      expect(auditHash(row, previous)).toBe(row.hash);
      previous = row.hash;
    }
  });

  it("is rolled back with its action", async () => {
    const before = (await read()).data[0].id;
    const failing = db()
      .transaction()
      .execute(async (tx) => {
        await writeAudit(tx, { actor: "operator", action: "test", target: "hub" });
        throw new Error("no");
      });
    await expect(failing).rejects.toThrow("no");
    expect((await read()).data[0].id).toBe(before);
  });

  it("names a deleted account by its id, and its hashes still fit", async () => {
    await hub.member("dan");
    await setRole("dan", "moderator");
    const [{ target }] = (await read("action=set-role")).data;
    await sql`delete from accounts where username = 'dan'`.execute(db());
    const [row] = (await read("action=set-role")).data;
    expect([row.target, row.target_name]).toEqual([target.replace("account", "deleted"), null]);
    expect(auditHash(row, row.previous_hash)).toBe(row.hash);
  });
});
