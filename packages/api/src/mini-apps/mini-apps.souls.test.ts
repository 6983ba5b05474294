import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishStarterSouls } from "../souls/publish-starter-souls.ts";
import type { Actor } from "../testing/actor.ts";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import { miniApps } from "./catalogue.ts";
import { exampleValues } from "./mini-apps.fixture.ts";

/** One rule for what is offered and for what is taken (specification §4.3, decisions §7). */
describe.each(testDatabases())("which souls suit a mini app on %s", (database) => {
  let hub: TestHub;
  let ada: Actor;
  let starters: number[];
  beforeAll(async () => {
    hub = await startTestHub({ database });
    await publishStarterSouls(hub.hub);
    const { body } = await hub.guest().get("/api/souls?limit=100");
    starters = body.data.map(({ id }: { id: number }) => id);
    ada = await hub.member("ada");
  });
  afterAll(() => hub.close());

  const publish = async (fields: object): Promise<number> =>
    (await ada.post("/api/souls", { title: "A soul", content: "text", ...fields })).body.id;
  const offered = async (slug: string): Promise<number[]> => {
    const { body } = await hub.guest().get(`/api/apps?slug=${slug}`);
    return body.data.souls.map(({ id }: { id: number }) => id);
  };
  const takes = async (slug: string, soul_id: number): Promise<boolean> => {
    const fields = exampleValues(miniApps.get(slug)?.fields ?? []);
    const { status, body } = await ada.post("/api/apps", { slug, soul_id, fields });
    if (status !== 200) expect([status, body.error]).toEqual([400, "soul_not_eligible"]);
    return status === 200;
  };
  const suitsChess = async (id: number) => {
    const isOffered = (await offered("chess-lesson")).includes(id);
    expect(await takes("chess-lesson", id)).toBe(isOffered);
    return isOffered;
  };

  it.each([...miniApps.keys()])(
    "%s offers a starter soul and takes what it offers",
    async (slug) => {
      const suitable = await offered(slug);
      expect(suitable.length).toBeGreaterThanOrEqual(1);
      for (const id of starters) {
        expect([id, await takes(slug, id)]).toEqual([id, suitable.includes(id)]);
      }
    },
  );

  it.each<[string, object, boolean]>([
    ["a keyword in the title", { title: "Chess nights" }, true],
    ["a keyword in the description", { description: "I live for tactics." }, true],
    ["a keyword in the domain", { domain: "openings" }, true],
    ["a keyword in other letters' case", { title: "CHESS" }, true],
    ["a keyword in a hyphenated word", { title: "The Chess-Mad Uncle" }, true],
    ["a keyword with a genitive", { title: "Chess's best friend" }, true],
    ["a keyword between signs", { description: "(tactics), “puzzles”" }, true],
    ["a keyword next to a number", { title: "Chess 960" }, true],
    ["a keyword after much else", { description: `${"a ".repeat(997)}chess` }, true],
    ["a longer word around a keyword", { title: "Chessboards" }, false],
    ["a keyword's beginning", { title: "Tactic", description: "Open endgame" }, false],
    ["a keyword grown together with a number", { title: "chess2" }, false],
    ["a keyword in the prompt alone", { content: "chess" }, false],
    ["a keyword in the compatibility alone", { compatibility: "chess" }, false],
    ["no keyword", { title: "Gardener" }, false],
    ["a keyword in a private soul", { title: "Chess", is_public: 0 }, false],
  ])("%s", async (_, fields, suits) => {
    expect(await suitsChess(await publish(fields))).toBe(suits);
  });

  it("a keyword in the role", async () => {
    const id = await publish({ role: "languages" });
    expect(await offered("speak-it")).toContain(id);
  });

  it.each([
    ["private", { is_public: 0 }],
    ["about something else", { title: "Draughts" }],
  ])("no longer, once it is %s", async (_, change) => {
    const id = await publish({ title: "Chess" });
    expect(await suitsChess(id)).toBe(true);
    await ada.put(`/api/soul/${id}`, change);
    expect(await suitsChess(id)).toBe(false);
  });

  it("offers the most liked first, then the newer, 50 at most", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 51; n++) ids.push(await publish({ title: `Vocabulary ${n}` }));
    const [first = 0, second = 0, third = 0, ...others] = ids;
    const like = (id: number, like_count: number) =>
      hub.hub.database.db.updateTable("souls").set({ like_count }).where("id", "=", id).execute();
    await like(first, 1);
    await like(second, 2);
    expect(await offered("speak-it")).toEqual([second, first, ...others.reverse()]);
    // The bound is the list's, not the rule's.
    expect(await takes("speak-it", third)).toBe(true);
  });

  it("offers the same where thousands are more popular", async () => {
    const { db } = hub.hub.database;
    const insert = (title: string, likes: number, count: number) =>
      sql`insert into souls (user_id, title, content, file_type, like_count)
          select (select min(id) from accounts), ${title}, '', 'single_md', ${likes}::int
          from generate_series(1, ${count}::int)`.execute(db);
    await insert("Jam", 10, 5_000);
    const popular = await publish({ title: "Itinerary" });
    await db.updateTable("souls").set({ like_count: 20 }).where("id", "=", popular).execute();
    await insert("Itinerary", 5, 60);
    const found = await offered("trip-plan");
    expect([found.length, found[0]]).toEqual([50, popular]);
    expect(found.slice(1)).toEqual(found.slice(1).sort((a, b) => b - a));
    for (const id of found) expect(await takes("trip-plan", id)).toBe(true);
    expect(found.filter((id) => starters.includes(id))).toEqual([]);
  });
});
