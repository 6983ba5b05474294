import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";

const SOULS = 9_000;

interface Listed {
  id: number;
  title: string;
  like_count: number;
}

/** Where a search must not read everything (./search-souls.ts): its answers are the same ones. */
describe.each(testDatabases())("a search among many souls on %s", (database) => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub({ database });
    await hub.member("ada");
    const { db } = hub.hub.database;
    // Every soul has "lantern"; every 2nd begins with "Common", every 900th is exactly that.
    await sql`
      insert into souls (user_id, title, description, content, file_type, role, like_count,
        fork_count, rating_sum, rating_count, updated_at)
      select (select min(id) from accounts),
        case when n % 900 = 0 then 'Common' when n % 2 = 0 then 'Common ' || n else 'Soul ' || n end,
        'lantern' || case when n % 3000 = 1 then ' needle' else '' end, 'text', 'single_md',
        case when n % 10 = 0 then 'games' else 'Other' end, n * 7919 % 1000, n * 31 % 50,
        n % 5 * 3, 3, now() - make_interval(secs => n * 7 % 5000)
      from generate_series(1, ${SOULS}::int) n`.execute(db);
    await sql`analyze souls`.execute(db);
  });
  afterAll(() => hub.close());

  const search = async (query: string): Promise<{ data: Listed[]; total: number }> =>
    (await hub.guest().get(`/api/souls?limit=100&${query}`)).body;

  /** The order asked for, straight from the table. */
  const inOrder = async (where: string, order: string): Promise<number[]> => {
    const { rows } = await sql<{ id: number }>`select id from souls
      where ${sql.raw(where)} order by ${sql.raw(order)}, id desc limit 100`.execute(
      hub.hub.database.db,
    );
    return rows.map(({ id }) => id);
  };
  const orders = {
    popular: "like_count desc, fork_count desc",
    newest: "created_at desc",
    forks: "fork_count desc",
    updated: "updated_at desc",
    rating: "rating_sum::float8 / rating_count desc",
  };

  it.each(Object.entries(orders))("sorts a word that all have by %s", async (sort, order) => {
    const { data } = await search(`q=lantern&sort=${sort}`);
    expect(data.map(({ id }) => id)).toEqual(await inOrder("true", order));
  });

  it("orders by popularity where relevance is the same", async () => {
    const { data } = await search("q=lantern");
    const ids = data.map(({ id }) => id);
    expect(ids).toEqual(await inOrder("true", orders.popular));
  });

  it.each(Object.entries(orders))(
    "shows equal titles, then titles that begin so, both by %s",
    async (sort, order) => {
      const { data } = await search(`q=common&sort=${sort}`);
      const exact = await inOrder("title = 'Common'", order);
      const begun = await inOrder("title like 'Common %'", order);
      expect(data.map(({ id }) => id)).toEqual([...exact, ...begun].slice(0, 100));
    },
  );

  it("finds the few among many, also beside a word that all have", async () => {
    const expected = await inOrder("description like '%needle'", orders.popular);
    for (const q of ["needle", "need", "lantern needle", "needle lantern", "needle lan"]) {
      const { data, total } = await search(`q=${q}`);
      expect([q, total, data.map(({ id }) => id)]).toEqual([q, expected.length, expected]);
    }
  });

  it("keeps to the role", async () => {
    const { data } = await search("q=lantern&role=games&sort=popular");
    expect(data.map(({ id }) => id)).toEqual(await inOrder("role = 'games'", orders.popular));
  });

  it("pages without a gap or a repeat as far as total says", async () => {
    const seen: number[] = [];
    const { total } = await search("q=lantern");
    for (let offset = 0; offset <= total; offset += 100) {
      const { data } = await search(`q=lantern&offset=${offset}`);
      seen.push(...data.map(({ id }) => id));
    }
    expect(total).toBeGreaterThanOrEqual(300);
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
  });
});
