import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { meanwhile } from "../db/meanwhile.fixture.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../souls/souls.fixture.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { testDatabases } from "../testing/test-database.ts";
import { fork, like, rate } from "./social.fixture.ts";

/** Counters equal the number of their rows, also under concurrency (decisions §7). */
describe.each(testDatabases())("concurrent social actions on %s", (database) => {
  let hub: PeopledHub;
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ({ ada, bob } = hub);
  });
  afterAll(() => hub.close());

  const expectAllSucceeded = (answers: Answer[]) =>
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  /** Number of calls that each account has in flight. */
  const CONCURRENCY = 4;
  const repeat = async (times: number, call: () => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    let left = times;
    const worker = async () => {
      while (left-- > 0) answers.push(await call());
    };
    await Promise.all(upTo(CONCURRENCY).map(worker));
    return answers;
  };

  it("count every like of 16 accounts that toggle 8 or 9 times each", async () => {
    const id = await hub.publish();
    const fans = await Promise.all(upTo(16).map((n) => hub.member(`fan-${n}`)));
    const answers = (
      await Promise.all(fans.map((fan, n) => repeat(n < 8 ? 9 : 8, () => like(fan, id))))
    ).flat();
    expectAllSucceeded(answers);
    const rows = await hub.db
      .selectFrom("likes")
      .select("user_id")
      .where("soul_id", "=", id)
      .execute();
    expect([rows.length, (await hub.read(id)).like_count]).toEqual([8, 8]);
    const liked = answers.filter(({ body }) => body.liked).length;
    expect([liked, answers.length - liked]).toEqual([72, 64]);
  });

  it("store one rating per account", async () => {
    const id = await hub.publish();
    const stars = upTo(40).map((n) => (n % 5) + 1);
    const answers = await Promise.all(
      stars.flatMap((rating) => [rate(bob, id, rating), rate(ada, id, rating)]),
    );
    expectAllSucceeded(answers);
    const rows = await hub.db
      .selectFrom("ratings")
      .select("rating")
      .where("soul_id", "=", id)
      .execute();
    const sum = rows.reduce((total, { rating }) => total + rating, 0);
    expect(rows).toHaveLength(2);
    expect(await hub.read(id)).toMatchObject({ total_ratings: 2, avg_rating: sum / 2 });
  });

  it("keep the counters right while the owner blocks the account", async () => {
    const id = await hub.publish();
    const answers = await Promise.all([
      ...upTo(9).flatMap((n) => [like(bob, id), rate(bob, id, (n % 5) + 1)]),
      ada.put("/api/blocks", { username: "bob" }),
      ...upTo(9).flatMap((n) => [like(bob, id), rate(bob, id, (n % 5) + 1)]),
    ]);
    expect([200, 403]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    for (const call of [like(bob, id), rate(bob, id, 1)])
      expect(await call).toMatchObject({ status: 403, body: { error: "blocked" } });
    const { rows } = await sql<object>`
      select (select count(*)::int from likes where soul_id = ${id}) as like_count,
        count(*)::int as total_ratings, coalesce(sum(rating), 0)::int as avg_rating
      from ratings where soul_id = ${id}`.execute(hub.db);
    expect(await hub.read(id)).toMatchObject(rows[0] ?? {});
    await ada.delete("/api/blocks?username=bob");
  });

  // PGlite has one connection, so no call waits there.
  const changes = [
    [
      "blocked",
      () =>
        sql`insert into blocks (blocker_id, blocked_id) select owner.id, fan.id
          from accounts as owner, accounts as fan
          where owner.username = 'ada' and fan.username = 'bob'`,
    ],
    ["soul_not_found", (id: number) => sql`update souls set is_public = 0 where id = ${id}`],
  ] as const;
  it.each(database === "postgresql" ? changes : [])(
    "are refused with %s because of a change that they waited for",
    async (code, change) => {
      const id = await hub.publish();
      const answers = await meanwhile(
        hub.db,
        () => Promise.all([like(bob, id), rate(bob, id, 1)]),
        {
          lock: (tx) => sql`select from souls where id = ${id} for update`.execute(tx),
          change: (tx) => change(id).execute(tx),
        },
      );
      expect(answers.map(({ body }) => body.error)).toEqual([code, code]);
      expect(await hub.read(id)).toMatchObject({ like_count: 0, total_ratings: 0 });
      await ada.delete("/api/blocks?username=bob");
    },
  );

  it("count every fork", async () => {
    const id = await hub.publish();
    const answers = await Promise.all(upTo(40).map((n) => fork(n % 2 ? ada : bob, id)));
    expect(new Set(answers.map(({ body }) => body.new_soul_id)).size).toBe(40);
    expect((await hub.read(id)).fork_count).toBe(40);
  });

  it("do not deadlock with updates that swap the domain tags of two souls", async () => {
    const souls = [await hub.publish({ domain: "x" }), await hub.publish({ domain: "y" })];
    const calls = upTo(15).flatMap((n) =>
      souls.flatMap((id, which) => [
        like(n % 2 ? ada : bob, id),
        rate(n % 3 ? ada : bob, id, (n % 5) + 1),
        fork(bob, id),
        ada.put(`/api/soul/${id}`, { domain: (n + which) % 2 ? "x" : "y" }),
        ...(n === 14 ? [ada.delete(`/api/soul/${id}`)] : []),
      ]),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    const { rows } = await sql<{ domain: string }>`
      select domain from domain_tags
      where uses <> (select count(*) from souls where souls.domain = domain_tags.domain)`.execute(
      hub.db,
    );
    expect(rows).toEqual([]);
  });
});
