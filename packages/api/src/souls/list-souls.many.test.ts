import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";

const SOULS = 12_000;
/** So far a search goes (docs/decisions/0010-search.md). */
const REACH = 1_000;

const orders = {
  popular: "like_count desc, fork_count desc",
  newest: "created_at desc",
  forks: "fork_count desc",
  updated: "updated_at desc",
  rating: "rating_sum::float8 / rating_count desc",
};

/**
 * Among many souls a search takes other ways (./first-in-order.ts), by what the planner believes of
 * them. Whatever it believes, the answers are the same ones.
 */
const cases = testDatabases().flatMap((database) => [
  { database, belief: "what is true" },
  { database, belief: "what was true before" },
]);

describe.each(cases)("a search among many on $database, whose planner knows $belief", (given) => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub({ database: given.database });
    await hub.member("ada");
    const { db } = hub.hub.database;
    await sql`
      insert into souls (user_id, title, description, content, file_type, role, like_count,
        fork_count, rating_sum, rating_count, is_public)
      select (select min(id) from accounts), 'Needle', 'needle', 'text', 'single_md',
        case when n % 10 = 0 then 'games' else 'Other' end, n * 7919 % 1000, n * 31 % 50,
        n % 5 * 3, 3, (n % 11 > 0)::int
      from generate_series(1, ${SOULS}::int) n`.execute(db);
    if (given.belief === "what was true before") await sql`analyze souls`.execute(db);
    // Every soul has "lantern", 3 have "needle"; 13 are "Common", half begin so, some hold it. A third
    // have "zebra", a third "yak", and hardly any has both. A sixth say "games", whatever their role.
    await sql`
      update souls set updated_at = now() - make_interval(secs => id * 7 % 5000),
        title = case when id % 900 = 0 then 'Common' when id % 2 = 0 then 'Common ' || id
          when id % 7 = 0 then 'A common ' || id else 'Soul ' || id end,
        description = 'lantern' || case when id % 4000 = 1 then ' needle' else '' end
          || case when id % 27 = 2 then ' zebra yak' when id % 3 = 0 then ' zebra'
            when id % 3 = 1 then ' yak' else '' end
          || case when id % 6 = 5 then ' games' else '' end`.execute(db);
    if (given.belief === "what is true") await sql`analyze souls`.execute(db);
  }, 120_000);
  afterAll(() => hub.close());

  const search = async (query: string): Promise<{ data: { id: number }[]; total: number }> =>
    (await hub.guest().get(`/api/souls?limit=100&${query}`)).body;

  /** Page after page, as far as `total` says, and the one after that. */
  const allPages = async (query: string): Promise<{ ids: number[]; total: number }> => {
    const { total } = await search(query);
    const ids: number[] = [];
    for (let offset = 0; offset <= total; offset += 100) {
      const { data } = await search(`${query}&offset=${offset}`);
      ids.push(...data.map(({ id }) => id));
    }
    return { ids, total };
  };

  /** Straight from the table. */
  const inOrder = async (where: string, order: string): Promise<number[]> => {
    const { rows } = await sql<{ id: number }>`select id from souls
      where is_public = 1 and ${sql.raw(where)}
      order by ${sql.raw(order)}, id desc limit ${REACH}`.execute(hub.hub.database.db);
    return rows.map(({ id }) => id);
  };

  it.each(Object.entries(orders))(
    "pages through a word that all have by %s",
    async (sort, order) => {
      const expected = await inOrder("true", order);
      expect(await allPages(`q=lantern&sort=${sort}`)).toEqual({ ids: expected, total: REACH });
    },
  );

  it.each(Object.entries(orders))("and through the tiers of a title by %s", async (sort, order) => {
    const tier = `title <> 'Common', title not like 'Common %', ${order}`;
    const expected = await inOrder("title ilike '%common%'", tier);
    expect(await allPages(`q=common&sort=${sort}`)).toEqual({ ids: expected, total: REACH });
  });

  it("without an order through the tiers, the likes deciding within each", async () => {
    const lanterns = await inOrder("true", orders.popular);
    expect(await allPages("q=lantern")).toEqual({ ids: lanterns, total: REACH });
    const tiers = "title <> 'Common', title not like 'Common %', title not like 'A common %'";
    const games = await inOrder(
      "role = 'games' and title ilike '%common%'",
      `${tiers}, ${orders.popular}`,
    );
    expect(games.length).toBeGreaterThan(800);
    const { ids, total } = await allPages("q=common&role=games");
    expect([ids, total]).toEqual([games, games.length]);
  });

  it("keeps to the role", async () => {
    for (const [sort, order] of Object.entries(orders)) {
      const expected = await inOrder("role = 'games'", order);
      const { ids, total } = await allPages(`q=lantern&role=games&sort=${sort}`);
      expect([sort, ids, total]).toEqual([sort, expected, REACH]);
    }
  });

  it("ends where it ends", async () => {
    const expected = await inOrder("true", orders.newest);
    const { data, total } = await search("q=lantern&sort=newest&offset=950");
    expect([data.map(({ id }) => id), total]).toEqual([expected.slice(950), REACH]);
    for (const offset of [1_000, 1_001, 10_000]) {
      expect(await search(`q=lantern&offset=${offset}`)).toMatchObject({ data: [], total: REACH });
    }
  });

  // Of a finished word the planner believes that it meets the other one as often as chance has it:
  // in 1,500 souls. Of an unfinished one it believes less.
  it.each(["zebra yak.", "zebra yak", "lantern zebra yak.", "yak lantern zeb"])(
    "counts words that hardly ever meet: %s",
    async (q) => {
      const expected = await inOrder("id % 27 = 2", orders.popular);
      expect(await allPages(`q=${q}`)).toEqual({ ids: expected, total: expected.length });
      const totalOf = async (query: string): Promise<number> =>
        (await hub.guest().get(`/api/souls?q=${q}&${query}`)).body.total;
      for (const query of ["limit=20", "offset=300", "offset=1000", "sort=newest&limit=1"]) {
        expect([query, await totalOf(query)]).toEqual([query, expected.length]);
      }
      const games = await inOrder("role = 'games' and id % 27 = 2", orders.popular);
      expect(await totalOf("role=games&limit=20")).toBe(games.length);
    },
  );

  it("finds the few among many, also beside a word that all have", async () => {
    const expected = await inOrder("description like '%needle%'", orders.popular);
    for (const q of ["needle", "need", "lantern needle", "needle lantern", "needle lan"]) {
      const { data, total } = await search(`q=${q}`);
      expect([q, total, data.map(({ id }) => id)]).toEqual([q, 3, expected]);
    }
    for (const q of ["nothing", "lantern nothing", "nothing lan", "common nothing"]) {
      expect([q, await search(`q=${q}`)]).toMatchObject([q, { data: [], total: 0 }]);
    }
  });
});
