import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PeopledHub, startPeopledHub, upTo } from "../souls/souls.fixture.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { testDatabases } from "../testing/test-database.ts";
import { fork, like, rate } from "./social.fixture.ts";

/** Decisions §7: counters always equal their rows, whoever comes at once. */
describe.each(testDatabases())("many at once on %s", (database) => {
  let hub: PeopledHub;
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ({ ada, bob } = hub);
  });
  afterAll(() => hub.close());

  const expectAllDone = (answers: Answer[]) =>
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  /** So many of each fan's calls are on their way at any time. */
  const LANES = 4;
  const inLanes = async (times: number, call: () => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    let left = times;
    const lane = async () => {
      while (left-- > 0) answers.push(await call());
    };
    await Promise.all(upTo(LANES).map(lane));
    return answers;
  };

  it("50 accounts × 20 toggles at once, and 25 more: every toggle counts", {
    timeout: 60_000,
  }, async () => {
    const id = await hub.publish();
    const fans = await Promise.all(upTo(50).map((n) => hub.member(`fan-${n}`)));
    const answers = (
      await Promise.all(fans.map((fan, n) => inLanes(n < 25 ? 21 : 20, () => like(fan, id))))
    ).flat();
    expectAllDone(answers);
    const rows = await hub.db
      .selectFrom("likes")
      .select("user_id")
      .where("soul_id", "=", id)
      .execute();
    expect([rows.length, (await hub.read(id)).like_count]).toEqual([25, 25]);
    const liked = answers.filter(({ body }) => body.liked).length;
    expect([liked, answers.length - liked]).toEqual([525, 500]);
  });

  it("stays one rating when the same account rates many times at once", async () => {
    const id = await hub.publish();
    const stars = upTo(40).map((n) => (n % 5) + 1);
    const answers = await Promise.all(
      stars.flatMap((rating) => [rate(bob, id, rating), rate(ada, id, rating)]),
    );
    expectAllDone(answers);
    const rows = await hub.db
      .selectFrom("ratings")
      .select("rating")
      .where("soul_id", "=", id)
      .execute();
    const sum = rows.reduce((total, { rating }) => total + rating, 0);
    expect(rows).toHaveLength(2);
    expect(await hub.read(id)).toMatchObject({ total_ratings: 2, avg_rating: sum / 2 });
  });

  it("counts every one of many at once", async () => {
    const id = await hub.publish();
    const answers = await Promise.all(upTo(40).map((n) => fork(n % 2 ? ada : bob, id)));
    expect(new Set(answers.map(({ body }) => body.new_soul_id)).size).toBe(40);
    expect((await hub.read(id)).fork_count).toBe(40);
  });

  it("never locks up: everything at once on two souls that swap their tags", async () => {
    const souls = [await hub.publish({ domain: "x" }), await hub.publish({ domain: "y" })];
    const calls = upTo(40).flatMap((n) =>
      souls.flatMap((id, which) => [
        like(n % 2 ? ada : bob, id),
        rate(n % 3 ? ada : bob, id, (n % 5) + 1),
        fork(bob, id),
        ada.put(`/api/soul/${id}`, { domain: (n + which) % 2 ? "x" : "y" }),
        ...(n === 39 ? [ada.delete(`/api/soul/${id}`)] : []),
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
