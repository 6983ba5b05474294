import { expect, it } from "vitest";
import { describeHub } from "../testing/describe-chat.ts";
import { testDatabases } from "../testing/test-database.ts";
import { auditHash, NO_ROW } from "./audit-chain.ts";
import { sweepAudit } from "./sweep-audit.ts";
import { writeAudit } from "./write-audit.ts";

/** RETAIN_AUDIT (0057). */
describeHub("retention of the audit log", { databases: testDatabases() }, (hub) => {
  const db = () => hub.hub.database.db;
  const write = (action: string) => writeAudit(db(), { actor: "operator", action, target: "hub" });
  const rows = () => db().selectFrom("audit_log").selectAll().orderBy("id").execute();
  const actions = async () => (await rows()).map(({ action }) => action);

  it("deletes the oldest rows only, and what is left is a chain", async () => {
    await write("first");
    await write("second");
    await hub.moveClock("100 days");
    await write("third");
    const [, second] = await rows();

    await hub.moveClock("399 days");
    await sweepAudit(db(), 400);
    await hub.moveClock("401 days");
    await sweepAudit(db(), 0);
    expect(await actions()).toEqual(["first", "second", "third"]);

    await sweepAudit(db(), 400);
    await write("fourth");
    expect(await actions()).toEqual(["third", "fourth"]);
    let previous = second?.hash ?? NO_ROW;
    for (const { at, ...row } of await rows()) {
      expect(row.previous_hash).toBe(previous);
      expect(auditHash({ ...row, at }, previous)).toBe(row.hash);
      previous = row.hash;
    }

    // The next row continues the newest one, however old that is.
    await hub.moveClock("3000 days");
    await sweepAudit(db(), 400);
    expect(await actions()).toEqual(["fourth"]);
    await write("fifth");
    expect((await rows()).map(({ id }) => id)).toEqual([4, 5]);
  });

  it("keeps a recent row and all after it, even if one of them is dated back", async () => {
    await hub.moveClock("4000 days");
    await write("recent");
    await hub.moveClock("3100 days");
    await write("dated back");
    await hub.moveClock("4000 days");
    await sweepAudit(db(), 400);
    expect(await actions()).toEqual(["recent", "dated back"]);
  });
});
