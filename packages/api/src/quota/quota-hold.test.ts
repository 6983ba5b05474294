import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { sweepExpired } from "../tables/expired-rows.ts";
import type { Actor } from "../testing/actor.ts";
import { type ChatHub, openRoom, say } from "../testing/chat-hub.ts";
import { describeChat } from "../testing/describe-chat.ts";
import { testDatabases } from "../testing/test-database.ts";
import { refundQuota, reserveQuota, sweepQuotaHolds } from "./quota-hold.service.ts";
import { defaultTiers } from "./tier-table.ts";
import { createUnitReservations } from "./unit-reservations.ts";

const options = {
  databases: testDatabases(),
  config: { tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 10 } } },
};

/**
 * Quota units are reserved before the model is called, and settled or refunded exactly once (0023).
 */
describeChat("quota holds", options, (hub) => {
  let vera: Actor;
  let db: ChatHub["hub"]["database"]["db"];
  beforeAll(async () => {
    db = hub.hub.database.db;
    vera = await hub.vip("vera");
  });
  beforeEach(async () => {
    await hub.moveClock("0");
    await db.deleteFrom("quota_holds").execute();
    await db.deleteFrom("quota_days").execute();
  });

  /** Returns the context of a call by the test account vera. */
  const call = (): Pick<CallContext, "hub" | "caller" | "db" | "ipHash"> => ({
    hub: hub.hub,
    db,
    ipHash: () => "home",
    caller: {
      kind: "key",
      account: {
        id: 1,
        username: "vera",
        tier: "vip",
        passExpired: false,
        role: "member",
        emailVerified: false,
        suspension: null,
        silence: null,
      },
    },
  });
  const reserve = (units = 1) =>
    reserveQuota(call() as CallContext, { units, wantsPremium: false, holdSeconds: 60 });
  /** Settles a quota hold as `store_held_reply` does: deletes its row. */
  const settle = ({ id }: { id: number }) =>
    db.deleteFrom("quota_holds").where("id", "=", id).execute();
  const used = async () =>
    (await db.selectFrom("quota_days").select("used").execute()).map((row) => row.used);
  const holds = () => db.selectFrom("quota_holds").selectAll().execute();

  it("succeed for 10 of 50 concurrent calls with 10 units left", async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => reserve()));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    for (const result of results) {
      if (result.status === "rejected")
        expect(result.reason).toMatchObject({ code: "quota_exceeded" });
    }
    expect(await used()).toEqual([10]);
    expect(await holds()).toHaveLength(10);
  });

  it("succeed for 3 of 20 concurrent calls that reserve 3 units each", async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(3)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await used()).toEqual([9]);
  });

  it("of a batch with several accounts use each account's own counter", async () => {
    await Promise.all(["wim", "xan"].map((name) => hub.vip(name)));
    const reserveAs = (id: number, units: number) => {
      const account = { id, username: "any", tier: "vip", passExpired: false } as const;
      const ctx = { ...call(), caller: { kind: "key", account } } as CallContext;
      return reserveQuota(ctx, { units, wantsPremium: false, holdSeconds: 60 });
    };
    // 150 reservations are more than one batch can hold.
    const asked = Array.from({ length: 150 }, (_, n) => reserveAs((n % 3) + 1, (n % 3) + 1));
    const results = await Promise.allSettled(asked);
    const left = results.flatMap((result, n) =>
      result.status === "fulfilled" ? [[(n % 3) + 1, result.value.quota.daily_remaining]] : [],
    );
    const leftOf = (id: number) => left.filter(([of]) => of === id).map(([, units]) => units);
    expect([leftOf(1), leftOf(2), leftOf(3)]).toEqual([
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
      [8, 6, 4, 2, 0],
      [7, 4, 1],
    ]);
    expect((await used()).sort((a, b) => a - b)).toEqual([9, 10, 10]);
    const taken = (await holds()).map(({ subject, units }) => `${subject} ${units}`);
    expect(new Set(taken)).toEqual(new Set(["account:1 1", "account:2 2", "account:3 3"]));
    expect(taken).toHaveLength(18);
  });

  it("do not deadlock when two servers reserve for the same accounts in opposite orders", async () => {
    const wanted = Array.from({ length: 60 }, (_, n) => ({
      subject: `account:${1_000 + n}`,
      daily_limit: 100,
      shared_subject: null,
      shared_limit: 0,
      units: 1,
      premium_units: 0,
      premium_limit: 0,
      hold_seconds: 60,
    }));
    const [here, there] = [createUnitReservations(db), createUnitReservations(db)];
    for (let round = 0; round < 10; round++) {
      const asked = [...wanted.map(here), ...wanted.toReversed().map(there)];
      expect((await Promise.all(asked)).every((taken) => taken !== undefined)).toBe(true);
    }
    expect(new Set(await used())).toEqual(new Set([20]));
  });

  it("wait for no flush in PGlite alone, which dies with the hub", async () => {
    const setting = await db.transaction().execute(async (trx) => {
      await sql`set local synchronous_commit = on`.execute(trx);
      await sql`select * from reserve_units('[]')`.execute(trx);
      const { rows } = await sql<{ value: string }>`
        select current_setting('synchronous_commit') as value`.execute(trx);
      return rows[0]?.value;
    });
    expect(setting).toBe(hub.hub.database.kind === "pglite" ? "off" : "on");
  });

  it("leave counters that are swept after a week", async () => {
    await settle(await reserve());
    await sweepExpired(db, "quota_days");
    expect(await used()).toEqual([1]);
    await hub.moveClock("8 days");
    await sweepExpired(db, "quota_days");
    expect(await used()).toEqual([]);
  });

  /** Four guests of one address reserve two units each, concurrently. */
  const reserveAsGuests = (holdSeconds = 60) =>
    Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const id = `g${n % 4}`;
        const guest = { id, before: null, hasCookie: true, quotaId: id };
        const ctx = { ...call(), caller: { kind: "guest", guest } } as unknown as CallContext;
        return reserveQuota(ctx, { units: 1, wantsPremium: false, holdSeconds });
      }),
    );

  it("of one address are refunded in full by concurrent refunds", async () => {
    for (let round = 0; round < 5; round++) {
      const taken = await reserveAsGuests();
      await Promise.all(taken.map((hold) => refundQuota(db, hold)));
      expect(new Set(await used())).toEqual(new Set([0]));
    }
  });

  it("are refunded exactly once by concurrent sweeps, refunds and reservations", async () => {
    const left = await reserveAsGuests(0);
    const [taken] = await Promise.all([
      reserveAsGuests(),
      sweepQuotaHolds(db),
      sweepQuotaHolds(db),
      ...left.map((hold) => refundQuota(db, hold)),
    ]);
    expect((await used()).sort((a, b) => a - b)).toEqual([2, 2, 2, 2, 8]);
    await Promise.all(taken.map((hold) => refundQuota(db, hold)));
    expect(new Set(await used())).toEqual(new Set([0]));
    expect(await holds()).toEqual([]);
  });

  it("are refunded once by repeated refunds", async () => {
    const [kept, refunded] = [await reserve(), await reserve(4)];
    await Promise.all([refundQuota(db, refunded), refundQuota(db, refunded), sweepQuotaHolds(db)]);
    await refundQuota(db, refunded);
    expect(await used()).toEqual([1]);
    expect(await holds()).toHaveLength(1);
    await settle(kept);
    await refundQuota(db, kept);
    expect(await used()).toEqual([1]);
    expect(await holds()).toEqual([]);
  });

  it("are refunded to the day of their reservation", async () => {
    const hold = await reserve(4);
    await hub.moveClock("1 day");
    const today = await reserve();
    await refundQuota(db, hold);
    const days = await db.selectFrom("quota_days").select("used").orderBy("day").execute();
    expect(days).toEqual([{ used: 0 }, { used: 1 }]);
    await refundQuota(db, today);
  });

  it("are swept after their expiry, not before", async () => {
    await reserve(2);
    await reserve(3);
    expect(await sweepQuotaHolds(db)).toBe(0);
    await hub.moveClock("59 seconds");
    expect(await sweepQuotaHolds(db)).toBe(0);
    await hub.moveClock("61 seconds");
    const swept = await Promise.all([sweepQuotaHolds(db), sweepQuotaHolds(db)]);
    expect(swept[0] + swept[1]).toBe(2);
    expect((await used()).at(0)).toBe(0);
    expect(await holds()).toEqual([]);
  });

  it("of a guest use both counters, session and address, or neither", async () => {
    const caller = {
      kind: "guest",
      guest: {
        id: "g1",
        before: null,
        hasCookie: true,
        quotaId: "g1",
        keep: () => null,
      },
    } as const;
    const ask = () =>
      reserveQuota({ ...call(), caller } as CallContext, {
        units: 1,
        wantsPremium: false,
        holdSeconds: 60,
      });
    await db
      .insertInto("quota_days")
      .values({ subject: "ip:home", day: (await today()).day, used: 19 })
      .execute();
    const hold = await ask();
    await expect(ask()).rejects.toThrow(HubError);
    expect((await used()).sort((a, b) => a - b)).toEqual([1, 20]);
    await refundQuota(db, hold);
    expect((await used()).sort((a, b) => a - b)).toEqual([0, 19]);
  });

  const today = async () => {
    await reserve();
    const row = await db.selectFrom("quota_days").select("day").executeTakeFirstOrThrow();
    await db.deleteFrom("quota_days").execute();
    await db.deleteFrom("quota_holds").execute();
    return row;
  };

  it("may be swept too early: a late reply is stored at no cost", async () => {
    const room = await openRoom(vera);
    const asked = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const late = say(vera, room, "Take your time.");
    await hub.provider.received(asked + 1);
    await hub.moveClock("1 hour");
    expect(await sweepQuotaHolds(db)).toBe(1);
    release();
    expect((await late).status).toBe(200);
    expect(await holds()).toEqual([]);
  });
});
