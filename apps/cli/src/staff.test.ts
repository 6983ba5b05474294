import {
  ADMIN_TOKEN,
  emptyDatabase,
  ruleDatabase,
  startTestHub,
  type TestHub,
} from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTool } from "./hub-process.fixture.ts";

/** Commands for roles, invites and the audit log (0057, 0058). */
describe("pnpm hub with a hub", () => {
  const kind = ruleDatabase();
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let running: TestHub;
  const hub = (...args: string[]) => runTool({ BASE_URL: running.url, ADMIN_TOKEN }, ...args);
  const change = (id: number, values: Record<string, string>) =>
    database.db.updateTable("audit_log").set(values).where("id", "=", id).execute();
  const remove = (id: number) => database.db.deleteFrom("audit_log").where("id", "=", id).execute();

  beforeAll(async () => {
    database = await emptyDatabase(kind);
    running = await startTestHub({ database, config: { registration: "invite" } });
  });
  afterAll(() => running?.close());

  it("creates, lists and withdraws invites", async () => {
    const made = JSON.parse((await hub("invite", "--uses", "2", "--json")).stdout);
    const register = (username: string) =>
      running.guest().post("/api/register", {
        ...{ username, password: "correct horse battery", email: "a@example.org" },
        invite: made.code,
      });
    expect((await register("ada")).status).toBe(200);
    const listed = await hub("invites");
    expect(listed.stdout.split("\n")[1]).toMatch(/^ 1 {5}1 {3}2 {2}\d{4}-/);
    const withdrawn = await hub("withdraw-invite", String(made.id));
    expect(withdrawn.stdout).toBe("The invite is withdrawn.\n");
    expect((await register("ben")).body.error).toBe("invite_invalid");
    expect((await hub("invites")).stdout).toBe("No invites.\n");
    expect((await hub("withdraw-invite", "1")).code).toBe(1);
  });

  it("sets roles and shows the audit log", async () => {
    expect((await hub("role", "ada", "admin")).stdout).toBe("ada is an admin.\n");
    expect((await hub("role", "ada", "owner")).code).toBe(2);
    const log = await hub("audit", "--action", "set-role");
    expect(log.stdout.split("\n")[1]).toMatch(/operator {2}set-role {2}ada {5}\{"from":"member"/);
    expect((await hub("audit", "--actor", "ada")).stdout).toBe("No rows.\n");
  });

  it("verifies the audit log, and finds changed and missing rows", async () => {
    const whole = await hub("audit", "--verify");
    expect([whole.code, whole.stdout]).toEqual([
      0,
      expect.stringMatching(/^The audit log is whole: 3 rows\.\nhead {2}[0-9a-f]{64}\n/),
    ]);
    const rows = await database.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
    const changes = { action: "x", detail: '{"x":1}', at: "2020-01-01 00:00:00", target: "hub" };
    for (const [column, value] of Object.entries(changes)) {
      for (const { id, ...row } of rows) {
        await change(id, { [column]: value });
        const { code, stdout } = await hub("audit", "--verify");
        expect([code, stdout]).toEqual([1, `The audit log was changed at row ${id}.\n`]);
        await change(id, row);
      }
    }
    expect((await hub("audit", "--verify")).code).toBe(0);
    await remove(2);
    expect((await hub("audit", "--verify")).code).toBe(1);
    // The oldest rows may be gone: the first one that is left holds the hash of the one before.
    await remove(1);
    const begun = await hub("audit", "--verify");
    expect([begun.code, begun.stdout]).toEqual([
      0,
      expect.stringMatching(/ 1 row\.\nhead {2}[0-9a-f]{64}\nanchor {2}[0-9a-f]{64}\n.* row 3\./),
    ]);
    expect(begun.stdout).toContain(`anchor  ${rows[1]?.hash}`);
    await change(3, { previous_hash: "0".repeat(64) });
    expect((await hub("audit", "--verify")).code).toBe(1);
  });

  it("refuses to verify a part of the log", async () => {
    expect((await hub("audit", "--verify", "--actor", "ada")).code).toBe(2);
  });
});
