import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { publishStarterSouls } from "../souls/publish-starter-souls.ts";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { miniApps } from "./catalogue.ts";
import { exampleValues } from "./mini-apps.fixture.ts";

/** A mini app lists and accepts souls by the same condition (specification §4.3, decisions §7). */
describeHub("souls that match a mini app", {}, (hub) => {
  let ada: Actor;
  let starters: number[];
  beforeAll(async () => {
    await publishStarterSouls(hub.hub);
    const { body } = await hub.guest().get("/api/souls?limit=100");
    starters = body.data.map(({ id }: { id: number }) => id);
    ada = await hub.member("ada");
  });

  const publish = async (fields: object): Promise<number> =>
    (await ada.post("/api/souls", { title: "A soul", content: "text", ...fields })).body.id;
  const matching = async (slug: string): Promise<number[]> => {
    const { body } = await hub.guest().get(`/api/apps?slug=${slug}`);
    return body.data.souls.map(({ id }: { id: number }) => id);
  };
  const accepts = async (slug: string, soul_id: number): Promise<boolean> => {
    const fields = exampleValues(miniApps.get(slug)?.fields ?? []);
    const { status, body } = await ada.post("/api/apps", { slug, soul_id, fields });
    if (status !== 200) expect([status, body.error]).toEqual([400, "soul_not_eligible"]);
    return status === 200;
  };
  const matchesChess = async (id: number) => {
    const isListed = (await matching("chess-lesson")).includes(id);
    expect(await accepts("chess-lesson", id)).toBe(isListed);
    return isListed;
  };

  it.each([...miniApps.keys()])(
    "%s lists a starter soul and accepts exactly the listed ones",
    async (slug) => {
      const listed = await matching(slug);
      expect(listed.length).toBeGreaterThanOrEqual(1);
      const accepted = await Promise.all(starters.map((id) => accepts(slug, id)));
      expect(starters.filter((_, n) => accepted[n])).toEqual(
        starters.filter((id) => listed.includes(id)),
      );
    },
  );

  it.each<[string, object, boolean]>([
    ["a keyword in the title", { title: "Chess nights" }, true],
    ["a keyword in the description", { description: "I live for tactics." }, true],
    ["a keyword in the domain", { domain: "openings" }, true],
    ["a keyword in another case", { title: "CHESS" }, true],
    ["a keyword in a hyphenated word", { title: "The Chess-Mad Uncle" }, true],
    ["a keyword with a genitive", { title: "Chess's best friend" }, true],
    ["a keyword between punctuation", { description: "(tactics), “puzzles”" }, true],
    ["a keyword next to a number", { title: "Chess 960" }, true],
    ["a keyword after 2,000 characters", { description: `${"a ".repeat(997)}chess` }, true],
    ["a longer word around a keyword", { title: "Chessboards" }, false],
    ["a keyword's beginning", { title: "Tactic", description: "Open endgame" }, false],
    ["a keyword joined with a number", { title: "chess2" }, false],
    ["a keyword in the prompt only", { content: "chess" }, false],
    ["a keyword in the compatibility only", { compatibility: "chess" }, false],
    ["no keyword", { title: "Gardener" }, false],
    ["a keyword in a private soul", { title: "Chess", is_public: 0 }, false],
  ])("%s", async (_, fields, isMatch) => {
    expect(await matchesChess(await publish(fields))).toBe(isMatch);
  });

  it("are found by a keyword in the role", async () => {
    const id = await publish({ role: "languages" });
    expect(await matching("speak-it")).toContain(id);
  });

  it.each([
    ["private", { is_public: 0 }],
    ["renamed", { title: "Draughts" }],
  ])("no longer include a soul that is %s", async (_, change) => {
    const id = await publish({ title: "Chess" });
    expect(await matchesChess(id)).toBe(true);
    await ada.put(`/api/soul/${id}`, change);
    expect(await matchesChess(id)).toBe(false);
  });

  /** Inserts public souls that have the same title and number of likes. */
  const insert = (title: string, likes: number, count: number) =>
    sql`insert into souls (user_id, title, content, file_type, like_count)
        select (select min(id) from accounts), ${title}, '', 'single_md', ${likes}::int
        from generate_series(1, ${count}::int)`.execute(hub.hub.database.db);

  it("lists the most liked first, then the newest, 50 at most", async () => {
    const second = await publish({ title: "Vocabulary" });
    const first = await publish({ title: "Vocabulary" });
    const unlisted = await publish({ title: "Vocabulary" });
    await insert("Vocabulary", 0, 48);
    const { db } = hub.hub.database;
    for (const [id, like_count] of [
      [second, 1],
      [first, 2],
    ] as const) {
      await db.updateTable("souls").set({ like_count }).where("id", "=", id).execute();
    }
    const listed = await matching("speak-it");
    expect(listed.slice(0, 2)).toEqual([first, second]);
    expect(listed.slice(2)).toEqual(Array.from({ length: 48 }, (_, n) => unlisted + 48 - n));
    // A mini app lists at most 50 souls, but accepts every matching soul.
    expect(await accepts("speak-it", unlisted)).toBe(true);
  });

  it("lists matching souls behind thousands of more popular ones", async () => {
    const { db } = hub.hub.database;
    await insert("Jam", 10, 5_000);
    const popular = await publish({ title: "Itinerary" });
    await db.updateTable("souls").set({ like_count: 20 }).where("id", "=", popular).execute();
    await insert("Itinerary", 5, 60);
    const found = await matching("trip-plan");
    expect([found.length, found[0]]).toEqual([50, popular]);
    expect(found.slice(1)).toEqual(found.slice(1).sort((a, b) => b - a));
    for (const id of [popular, found.at(-1) ?? 0])
      expect(await accepts("trip-plan", id)).toBe(true);
    expect(found.filter((id) => starters.includes(id))).toEqual([]);
  });
});
