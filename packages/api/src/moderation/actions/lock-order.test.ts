import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Db } from "../../db/database.ts";
import type { Actor, Answer } from "../../testing/actor.ts";
import { openRoom, type RoomName } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { accountId, act, actOn, caseOf, operatorOf, staffOf } from "../staff.fixture.ts";

const { postgres } = inject("services");

/**
 * The order of locks (0062): cases, accounts, souls, rooms, the audit log. The embedded database runs
 * one transaction at a time.
 */
describe.skipIf(!postgres)("the locks of moderation", () => {
  let hub: TestHub;
  let staff: Actor;
  let author: Actor;
  let author_id: number;
  let room: RoomName;
  let number = 0;

  beforeAll(async () => {
    hub = await startTestHub({ database: "postgresql" });
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    author = await hub.vip(`author-${++number}`);
    author_id = await accountId(hub, author.name);
    room = await openRoom(author);
  });
  afterAll(() => hub.close());

  const soul = () => ({ kind: "soul", soul_id: room.soul_id });
  const person = () => ({ kind: "person", username: author.name });

  /** Makes a call that waits for a lock. Returns which of some rows the call has locked by then. */
  async function lockedWhile<Name extends string>(
    lock: string,
    call: () => Promise<Answer>,
    rows: Record<Name, string>,
  ): Promise<Name[]> {
    const { db } = hub.hub.database;
    const locked: Name[] = [];
    const pending = await db.transaction().execute(async (tx) => {
      await sql.raw(`select ${lock}`).execute(tx);
      const answer = call();
      await eventually(async () => {
        const { rows: waiting } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        expect(waiting).toHaveLength(1);
      });
      for (const name of Object.keys(rows) as Name[]) {
        if (await isLocked(tx, rows[name])) locked.push(name);
      }
      return { answer };
    });
    expect((await pending.answer).status).toBe(200);
    return locked;
  }

  async function isLocked(tx: Db, row: string): Promise<boolean> {
    await sql`savepoint looking`.execute(tx);
    try {
      await sql.raw(`select from ${row} nowait`).execute(tx);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: "55P03" });
      return true;
    } finally {
      await sql`rollback to savepoint looking`.execute(tx);
    }
  }

  it("put a case before its decisions, for an appeal too", async () => {
    const id = await actOn(staff, soul(), "warn");
    const [{ decision_id }] = (await author.get("/api/notices")).body.data;
    const appeal = () => author.post("/api/appeals", { decision_id, text: "It is mine." });
    const decision = `mod_decisions where id = ${decision_id} for update`;
    const lock = `from mod_cases where id = ${id} for update`;
    expect(await lockedWhile(lock, appeal, { decision })).toEqual([]);
  });

  it("put all cases before the audit log, if the operator takes several decisions back", async () => {
    const ids = [await caseOf(staff, soul()), await caseOf(staff, person())];
    for (const id of ids) await act(staff, id, "suspend");
    const [first, second] = ids.map((id) => `mod_cases where id = ${id} for update`) as [
      string,
      string,
    ];
    const lift = { username: author.name, suspended: false };
    const call = () => operatorOf(hub).post("/api/admin/suspend", lift);
    const auditLog = "pg_advisory_xact_lock(4711057::bigint)";
    expect(await lockedWhile(auditLog, call, { first, second })).toEqual(["first", "second"]);
  });

  it("put the account before its souls, whichever was decided first", async () => {
    const id = await actOn(staff, soul(), "hide_soul");
    await act(staff, id, "suspend");
    const lock = `from accounts where id = ${author_id} for update`;
    const held = `souls where id = ${room.soul_id} for update`;
    expect(await lockedWhile(lock, () => act(staff, id, "restore"), { held })).toEqual([]);
  });

  it("of an account let others refer to it, who may hold its souls", async () => {
    const id = await caseOf(staff, person());
    const lock = `from souls where id = ${room.soul_id} for update`;
    const changed = `accounts where id = ${author_id} for no key update`;
    const referred = `accounts where id = ${author_id} for key share`;
    const suspend = () => act(staff, id, "suspend");
    expect(await lockedWhile(lock, suspend, { changed, referred })).toEqual(["changed"]);
  });
});
