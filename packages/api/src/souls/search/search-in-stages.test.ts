import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWordModel } from "../../embedding/word-model.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

type Entry = { title: string; match?: string };

describe.each(testDatabases())("a search in three stages (0079) on %s", (database) => {
  let hub: TestHub;
  let ada: Actor;
  const model = createWordModel();
  const ids: Record<string, number> = {};
  const publish = async (title: string, fields: object = {}): Promise<void> => {
    const { body } = await ada.post("/api/souls", { title, content: "# Text", ...fields });
    ids[title] = body.id;
  };
  const change = (title: string, fields: object) => ada.put(`/api/soul/${ids[title]}`, fields);
  /** Waits until each soul has its words and its vector. */
  const settled = () =>
    eventually(async () => {
      await hub.hub.searchUpkeep.run();
      expect(hub.hub.searchUpkeep.state).toMatchObject({ waiting: 0, state: "ready" });
      const { rows } = await sql`select 1 from soul_vectors where vector is null
        union all select 1 from soul_word_changes`.execute(hub.hub.database.db);
      expect(rows).toEqual([]);
    });
  const ask = (q: string, more: object = {}) =>
    hub.guest().get(`/api/souls?${new URLSearchParams({ q, ...more })}`);
  const search = async (q: string, more: object = {}) => (await ask(q, more)).body;
  const found = async (q: string, more: object = {}) =>
    (await search(q, more)).data.map(({ title, match }: Entry) => `${match}: ${title}`);
  const similar = async (title: string, caller = hub.guest()) =>
    (await caller.get(`/api/soul/${ids[title]}/similar`)).body;
  const similarTitles = async (title: string, caller = hub.guest()) =>
    (await similar(title, caller)).data.map((entry: Entry) => entry.title);

  beforeAll(async () => {
    hub = await startTestHub({ database, embeddingModel: model });
    ada = await hub.member("ada");
    await publish("Patient Tutor", {
      description: "Explains mathematics to pupils after school.",
      role: "education",
    });
    await publish("Code Review", { description: "Reads a change.", role: "software-engineering" });
    await publish("Review of Poems", { description: "Reads verses.", role: "writing-editing" });
    await publish("Quiet Listener", { description: "Comfort in grief." });
    await settled();
  });
  beforeEach(() => {
    model.instead = undefined;
  });
  afterAll(() => hub.close());

  it("finds a wish that no soul contains, and says how", async () => {
    const { data, total, search: how, has_more } = await search("homework");
    expect(data.map(({ title, match }: Entry) => [title, match])).toEqual([
      ["Patient Tutor", "meaning"],
    ]);
    const expected = { corrected: null, meaning: "ready" };
    expect([total, has_more, how]).toEqual([undefined, false, expected]);
  });

  it("lists exact titles and other text before slips, and slips before meaning", async () => {
    expect(await found("code review")).toEqual(["exact: Code Review", "meaning: Review of Poems"]);
    expect(await found("review")).toEqual(["text: Review of Poems", "text: Code Review"]);
    const { data, search: how } = await search("reveiw");
    expect(data.map(({ match }: Entry) => match)).toEqual(["slip", "slip"]);
    expect(how).toEqual({ corrected: "review", meaning: "ready" });
    expect(await found("Code reveiw, sad")).toEqual([
      "meaning: Code Review",
      "meaning: Review of Poems",
    ]);
  });

  it.each([
    ["lost", "Patint Tutor"],
    ["doubled", "Patieent Tutor"],
    ["swapped", "Pateint Tutor"],
    ["wrong", "Patiemt Tutor"],
  ])("corrects a %s letter", async (_, q) => {
    expect((await found(q))[0]).toBe("slip: Patient Tutor");
  });

  it.each(["cod3", "rev-eiw", "Tutro5", "poe", "mathematics"])("leaves %s as it is", async (q) => {
    expect((await search(q)).search.corrected).toBeNull();
  });

  it("answers a question of long words, and corrects five words of many", async () => {
    for (const q of ["ﷺ".repeat(700), "reveiw ".repeat(48), `reveiw ${"ж".repeat(900)}`]) {
      expect((await ask(q)).status).toBe(200);
    }
    expect((await search(`reveiw ${"q".repeat(41)}`)).search.corrected).toBeNull();
    expect((await ada.get(`/api/my-souls?q=${"q".repeat(201)}`)).status).toBe(400);
  });

  it("notes only words that a change adds or removes, and none without such words", async () => {
    await publish("Wombat", { description: "Digs long burrows." });
    await settled();
    const noted = async (description: string) => {
      await change("Wombat", { description });
      const { rows } = await sql`select gained, lost from soul_word_changes`.execute(
        hub.hub.database.db,
      );
      await settled();
      return rows;
    };
    expect(await noted("Long, long burrows: digs!")).toEqual([]);
    expect(await noted("Digs short burrows.")).toEqual([{ gained: ["short"], lost: ["long"] }]);
    await ada.delete(`/api/soul/${ids.Wombat}`);
  });

  it("with match=text finds words alone, in an answer without further fields", async () => {
    const { body } = await ask("review", { match: "text" });
    expect(Object.keys(body)).toEqual(["success", "count", "total", "has_more", "data"]);
    expect(body.data[0]).not.toHaveProperty("match");
    expect((await search("homework", { match: "text" })).data).toEqual([]);
    expect(Object.keys((await hub.guest().get("/api/souls")).body)).toEqual(Object.keys(body));
  });

  it("compares no meaning with sort, and only souls of the role", async () => {
    expect(await found("homework", { sort: "newest" })).toEqual([]);
    expect(await found("reveiw", { sort: "newest" })).toHaveLength(2);
    expect(await found("reveiw", { role: "writing-editing" })).toEqual(["slip: Review of Poems"]);
    expect(await found("homework", { role: "writing-editing" })).toEqual([]);
  });

  it("pages through all stages without a gap", async () => {
    await publish("Evening", { description: "Lonely." });
    await settled();
    const whole = await found("comfrot");
    expect(whole).toEqual(["slip: Quiet Listener", "meaning: Evening"]);
    const pages = [];
    for (let offset = 0; offset < whole.length; offset++) {
      const { data, has_more } = await search("comfrot", { limit: 1, offset });
      expect(has_more).toBe(offset < whole.length - 1);
      pages.push(...data.map(({ title, match }: Entry) => `${match}: ${title}`));
    }
    expect(pages).toEqual(whole);
    await ada.delete(`/api/soul/${ids.Evening}`);
  });

  it("answers without meaning, for no cache to keep, while the model fails", async () => {
    for (const instead of [
      async () => Promise.reject(new Error("it ended")),
      async () => [new Int8Array(3)],
      async () => [],
    ]) {
      model.instead = instead;
      const { status, body, headers } = await ask("grammar");
      expect([status, body.search.meaning, headers.get("cache-control")]).toEqual([
        200,
        "warming",
        "no-store",
      ]);
      expect(headers.get("etag")).toBeNull();
    }
    model.instead = undefined;
    expect((await search("grammar")).search.meaning).toBe("ready");
  });

  it("embeds a question once, and at most 300 characters of it", async () => {
    const q = `comfort ${"x".repeat(900)}`;
    await Promise.all([ask(q), ask(q)]);
    await ask(q, { limit: 5 });
    expect(model.texts.filter((text) => text.includes("xxx"))).toEqual([q.slice(0, 300)]);
  });

  it("lists similar souls, without the soul itself, its source and its forks", async () => {
    await publish("Comfort", { description: "For grief." });
    const { body } = await ada.post("/api/fork", { soul_id: ids["Quiet Listener"] });
    ids.Fork = body.new_soul_id;
    await change("Fork", { is_public: 1, title: "Fork" });
    await settled();
    expect(await similarTitles("Quiet Listener")).toEqual(["Comfort"]);
    expect(await similarTitles("Fork")).toEqual(["Comfort"]);
    await ada.delete(`/api/soul/${ids.Fork}`);
  });

  it("never finds a soul that no list shows, and forgets its words and its vector", async () => {
    const stored = async () => {
      const { rows } = await sql<{ text: string }>`
        select term as text from soul_terms where term like 'quokka%'
        union all select concat(gained, lost) from soul_word_changes
        union all select soul_id::text from soul_vectors where soul_id = ${ids.Quokkarium ?? 0}
      `.execute(hub.hub.database.db);
      return rows.map(({ text }) => text);
    };
    const sight = { description: "Quokkas correct the spelling." };
    const hide = [
      () => change("Quokkarium", { is_public: 0 }),
      () =>
        sql`update souls set is_listed = false where id = ${ids.Quokkarium ?? 0}`.execute(
          hub.hub.database.db,
        ),
      () => ada.delete(`/api/soul/${ids.Quokkarium}`),
    ];
    for (const away of hide) {
      await publish("Quokkarium", sight);
      await settled();
      expect(await found("quokkariun")).toEqual(["slip: Quokkarium"]);
      expect(await found("proofread")).toEqual(["meaning: Quokkarium"]);
      expect((await stored()).sort()).toEqual([String(ids.Quokkarium), "quokkarium", "quokkas"]);
      await away();
      expect(await found("quokkariun")).toEqual([]);
      expect(await found("proofread")).toEqual([]);
      const own = await similar("Quokkarium", ada);
      expect(own.error ?? own.data).toSatisfy((it) => it === "soul_not_found" || it.length === 0);
      await settled();
      expect(await stored()).toEqual([]);
      await sql`update souls set is_listed = true`.execute(hub.hub.database.db);
      if (await ada.get(`/api/soul/${ids.Quokkarium}`))
        await ada.delete(`/api/soul/${ids.Quokkarium}`);
    }
  });

  it("embeds no private soul, and of a gated one only what everybody may read", async () => {
    await publish("Secret Axolotl", { is_public: 0, content: "An axolotl." });
    await publish("Gated Capybara", {
      content: "The narwhal is behind the gate.",
      nft_contract: "gate.near",
    });
    await settled();
    const texts = model.texts.join("\n");
    expect(texts).toContain("Gated Capybara");
    expect(texts).not.toMatch(/axolotl|narwhal/i);
  });

  it("compares a changed soul by its new text alone", async () => {
    await publish("Sparrow", { description: "Corrects the grammar." });
    await settled();
    expect(await found("proofread")).toEqual(["meaning: Sparrow"]);
    // The author changes the text while the model works on the one before.
    await change("Sparrow", { description: "Corrects the spelling." });
    model.instead = async (texts) => {
      model.instead = undefined;
      await change("Sparrow", { description: "Comfort in grief." });
      return model.embed(texts);
    };
    await settled();
    expect(await found("proofread")).toEqual([]);
    expect(await found("lonely")).toContain("meaning: Sparrow");
    await ada.delete(`/api/soul/${ids.Sparrow}`);
  });
});
