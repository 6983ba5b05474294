import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseKind } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { FEW, REACH } from "./search-limits.ts";

const SOULS = 12_000;

const orders = {
  popular: "like_count desc, fork_count desc",
  newest: "created_at desc",
  forks: "fork_count desc",
  updated: "updated_at desc",
  rating: "rating_sum::float8 / rating_count desc",
};

/** The planner's statistics decide how fast a search is, and must not change its result (0010). */
const cases = (database: DatabaseKind) => [
  { database, statistics: "current" },
  { database, statistics: "stale" },
];

export const describeSearch = (database: DatabaseKind) =>
  describe.each(cases(database))(
    "search in 12,000 souls on $database, $statistics statistics",
    (given) => {
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
        if (given.statistics === "stale") await sql`analyze souls`.execute(db);
        // The souls' descriptions: all contain "lantern", 3 "needle", a third "zebra", another third
        // "yak", a few both, a sixth "games". Their titles: 13 are "Common", half begin with it, others
        // contain it.
        await sql`
      update souls set updated_at = now() - make_interval(secs => id * 7 % 5000),
        title = case when id % 900 = 0 then 'Common' when id % 2 = 0 then 'Common ' || id
          when id % 7 = 0 then 'A common ' || id else 'Soul ' || id end,
        description = 'lantern' || case when id % 4000 = 1 then ' needle' else '' end
          || case when id % 27 = 2 then ' zebra yak' when id % 3 = 0 then ' zebra'
            when id % 3 = 1 then ' yak' else '' end
          || case when id % 6 = 5 then ' games' else '' end`.execute(db);
        if (given.statistics === "current") await sql`analyze souls`.execute(db);
      }, 120_000);
      afterAll(() => hub.close());

      interface Page {
        data: { id: number }[];
        total?: number;
        has_more: boolean;
      }
      const search = async (query: string): Promise<Page> =>
        (await hub.guest().get(`/api/souls?match=text&limit=100&${query}`)).body;

      /** Reads pages until `has_more` is false. Every page must report the same total. */
      const allPages = async (query: string) => {
        const ids: number[] = [];
        const totals = new Set<number | undefined>();
        for (let hasMore = true; hasMore; ) {
          const page = await search(`${query}&offset=${ids.length}`);
          ids.push(...page.data.map(({ id }) => id));
          totals.add(page.total);
          hasMore = page.has_more;
        }
        return { ids, totals: [...totals] };
      };

      /** Returns the ids in the expected order, from a plain query of the table `souls`. */
      const inOrder = async (where: string, order: string): Promise<number[]> => {
        const { rows } = await sql<{ id: number }>`select id from souls
      where is_public = 1 and ${sql.raw(where)}
      order by ${sql.raw(order)}, id desc limit ${REACH}`.execute(hub.hub.database.db);
        return rows.map(({ id }) => id);
      };

      it.each(Object.entries(orders))(
        "pages through a word of every soul by %s",
        async (sort, order) => {
          const expected = await inOrder("true", order);
          expect(await allPages(`q=lantern&sort=${sort}`)).toEqual({
            ids: expected,
            totals: [undefined],
          });
        },
      );

      it.each(Object.entries(orders))(
        "pages through the title tiers by %s",
        async (sort, order) => {
          const tier = `title <> 'Common', title not like 'Common %', ${order}`;
          const expected = await inOrder("title ilike '%common%'", tier);
          expect(await allPages(`q=common&sort=${sort}`)).toEqual({
            ids: expected,
            totals: [undefined],
          });
        },
      );

      it("orders each tier by likes where no sort is given", async () => {
        const lanterns = await inOrder("true", orders.popular);
        expect(await allPages("q=lantern")).toEqual({ ids: lanterns, totals: [undefined] });
        const tiers = "title <> 'Common', title not like 'Common %', title not like 'A common %'";
        const games = await inOrder(
          "role = 'games' and title ilike '%common%'",
          `${tiers}, ${orders.popular}`,
        );
        expect(games.length).toBeGreaterThan(800);
        expect((await allPages("q=common&role=games")).ids).toEqual(games);
      });

      it("filters by role", async () => {
        for (const [sort, order] of Object.entries(orders)) {
          const expected = await inOrder("role = 'games'", order);
          const { ids } = await allPages(`q=lantern&role=games&sort=${sort}`);
          expect([sort, ids.slice(0, REACH)]).toEqual([sort, expected]);
        }
      });

      it("pages through the first 1,000 of many matches", async () => {
        const expected = await inOrder("true", orders.newest);
        const { data, has_more } = await search("q=lantern&sort=newest&offset=950");
        expect([data.map(({ id }) => id), has_more]).toEqual([expected.slice(950), false]);
        for (const offset of [REACH, REACH + 1, 10_000]) {
          expect(await search(`q=lantern&offset=${offset}`)).toMatchObject({
            data: [],
            has_more: false,
          });
        }
      });

      // The planner expects 1,500 souls with both words, since it treats the words as independent.
      it.each(["zebra yak.", "zebra yak", "lantern zebra yak.", "yak lantern zeb"])(
        "counts the matches of words that rarely occur together: %s",
        async (q) => {
          const expected = await inOrder("id % 27 = 2", orders.popular);
          expect(expected.length).toBeLessThan(FEW);
          expect(await allPages(`q=${q}`)).toEqual({ ids: expected, totals: [expected.length] });
          const totalOf = async (query: string): Promise<number> =>
            (await hub.guest().get(`/api/souls?match=text&q=${q}&${query}`)).body.total;
          for (const query of ["limit=20", "offset=300", "offset=1000", "sort=newest&limit=1"]) {
            expect([query, await totalOf(query)]).toEqual([query, expected.length]);
          }
          const games = await inOrder("role = 'games' and id % 27 = 2", orders.popular);
          expect(await totalOf("role=games&limit=20")).toBe(games.length);
        },
      );

      it("finds a rare word, alone and next to a word of every soul", async () => {
        const expected = await inOrder("description like '%needle%'", orders.popular);
        for (const q of ["needle", "need", "lantern needle", "needle lantern", "needle lan"]) {
          const { data, total } = await search(`q=${q}`);
          expect([q, total, data.map(({ id }) => id)]).toEqual([q, 3, expected]);
        }
        for (const q of ["nothing", "lantern nothing", "nothing lan", "common nothing"]) {
          expect([q, await search(`q=${q}`)]).toMatchObject([q, { data: [], total: 0 }]);
        }
      });

      it("finds matches that the first rows of the order lack", async () => {
        await sql`update souls set description = description || ' tailword'
      where id <= ${SOULS / 2}`.execute(hub.hub.database.db);
        const expected = await inOrder(`id <= ${SOULS / 2}`, orders.newest);
        const { ids } = await allPages("q=tailword&sort=newest");
        expect(ids).toEqual(expected);
      });
    },
  );
