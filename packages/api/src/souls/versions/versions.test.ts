import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../souls.fixture.ts";

interface Version {
  id: number;
  title: string;
}

describe("the endpoints of versions", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  let ada: Actor;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ada = hub.ada;
  });
  afterAll(() => hub.close());

  const list = async (soulId: number, reader = ada): Promise<Version[]> =>
    (await reader.get(`/api/versions?soul_id=${soulId}`)).body.data;
  const titles = async (soulId: number, reader = ada) =>
    (await list(soulId, reader)).map(({ title }) => title);
  const edit = (id: number, changes: object) => ada.put(`/api/soul/${id}`, changes);
  const restore = (soul_id: number, version_id: number | undefined, actor = ada): Promise<Answer> =>
    actor.post("/api/versions", { soul_id, version_id });

  describe("GET /api/versions", () => {
    it("lists the complete state before each update, newest first", async () => {
      const id = await hub.publish({ title: "one", description: "d", domain: "Sea" });
      await edit(id, { title: "two" });
      await edit(id, { title: "three", content: '{"SOUL.md": "x"}' });
      const { status, body } = await hub.guest().get(`/api/versions?soul_id=${id}`);
      const snapshot = {
        id: expect.any(Number),
        soul_id: id,
        description: "d",
        content: "# Be kind",
        content_hidden: false,
        file_type: "single_md",
        note: null,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        has_package: false,
        signature: null,
        role: "Other",
        domain: "sea",
        compatibility: "any",
        edited_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      };
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        count: 2,
        data: [
          { ...snapshot, number: 2, title: "two" },
          { ...snapshot, number: 1, title: "one" },
        ],
      });
      expect(body.data[0].id).toBeGreaterThan(body.data[1].id);
    });

    it.each(["", "soul_id=0", "soul_id=-1", "soul_id=x", "soul_id=9007199254740992"])(
      "refuses ?%s",
      async (query) => {
        const { status, body } = await ada.get(`/api/versions?${query}`);
        expect([status, body.error]).toEqual([400, "invalid_input"]);
      },
    );

    it("shows all snapshots to the owner, and those of a public state to other callers", async () => {
      const id = await hub.publish({ title: "open" });
      await edit(id, { title: "secret draft", is_public: 0 });
      await edit(id, { title: "secret diary" });
      await edit(id, { title: "open again", is_public: 1 });
      await edit(id, { title: "present" });
      const all = ["open again", "secret diary", "secret draft", "open"];
      expect(await titles(id)).toEqual(all);
      for (const other of [hub.bob, hub.guest()]) {
        const { body, text } = await other.get(`/api/versions?soul_id=${id}`);
        expect(body.count).toBe(2);
        expect(await titles(id, other)).toEqual(["open again", "open"]);
        expect(text).not.toContain("secret");
      }
    });
  });

  describe("POST /api/versions", () => {
    it("restores every text, and stores the state before as a snapshot", async () => {
      const before = {
        title: "Before",
        description: "d1",
        content: '{"SOUL.md": "\\u00e9"}',
        role: "travel",
        domain: "tides",
        compatibility: "any model",
      };
      const id = await hub.publish(before);
      const after = {
        title: "After",
        description: "d2",
        content: "# Markdown",
        role: "games",
        domain: "winds",
        compatibility: "another",
      };
      await edit(id, after);
      const [first] = await list(id);
      const { status, body } = await restore(id, first?.id);
      const restored = { success: true, message: expect.any(String), version: 3 };
      expect([status, body]).toEqual([200, restored]);
      expect(await hub.read(id)).toMatchObject({ ...before, file_type: "full_soul_folder" });
      expect((await list(id))[0]).toMatchObject(after);
      const [undone] = await list(id);
      await restore(id, undone?.id);
      expect(await hub.read(id)).toMatchObject({ ...after, file_type: "single_md" });
      expect(await titles(id)).toEqual(["Before", "After", "Before"]);
    });

    it("does not change visibility", async () => {
      const id = await hub.publish({ title: "public" });
      await edit(id, { title: "private", is_public: 0 });
      await restore(id, (await list(id))[0]?.id);
      expect(await hub.read(id)).toMatchObject({ title: "public", is_public: 0 });
      await edit(id, { is_public: 1 });
      const draft = (await list(id)).find(({ title }) => title === "private");
      await restore(id, draft?.id);
      expect(await hub.read(id)).toMatchObject({ title: "private", is_public: 1 });
      // Bob is not the owner. He sees only the two snapshots of states in which the soul was
      // public. The soul received one of these texts while it was private.
      expect(await titles(id, hub.bob)).toEqual(["public", "public"]);
    });

    it("updates the counters of domain tags", async () => {
      const id = await hub.publish({ domain: "from-tag" });
      await edit(id, { domain: "to-tag" });
      await restore(id, (await list(id))[0]?.id);
      const tags = await hub.db
        .selectFrom("domain_tags")
        .selectAll()
        .where("domain", "in", ["from-tag", "to-tag"])
        .orderBy("domain")
        .execute();
      expect(tags).toEqual([
        { domain: "from-tag", uses: 1 },
        { domain: "to-tag", uses: 0 },
      ]);
    });

    it.each([{}, { soul_id: 1 }, { soul_id: 1, version_id: "1" }, { soul_id: 0, version_id: 1 }])(
      "refuses %j",
      async (body) => {
        const answer = await ada.post("/api/versions", body);
        expect([answer.status, answer.body.error]).toEqual([400, "invalid_input"]);
      },
    );
  });

  describe("under concurrency", () => {
    it("stores exactly 100 snapshots for 100 concurrent updates", async () => {
      const id = await hub.publish({ title: "start" });
      const given = upTo(100).map((n) => `t${n}`);
      const answers = await Promise.all(given.map((title) => edit(id, { title })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const kept = (await titles(id)).reverse();
      expect(kept).toHaveLength(100);
      expect(kept[0]).toBe("start");
      const states = [...kept, (await hub.read(id)).title];
      expect(states.slice(1).sort()).toEqual([...given].sort());
    });

    it("loses no state in concurrent updates and restores", async () => {
      const id = await hub.publish({ title: "start", domain: "mixed-0" });
      await edit(id, { title: "second", domain: "mixed-1" });
      const [first] = await list(id);
      const given = upTo(30).map((n) => `t${n}`);
      const answers = await Promise.all(
        given.flatMap((title, n) => [
          edit(id, { title, domain: `mixed-${n % 2}` }),
          restore(id, first?.id),
        ]),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const kept = await titles(id);
      expect(kept).toHaveLength(61);
      expect(new Set([...kept, (await hub.read(id)).title])).toEqual(
        new Set(["start", "second", ...given]),
      );
      const { domain } = await hub.read(id);
      const tags = await hub.db
        .selectFrom("domain_tags")
        .selectAll()
        .where("domain", "like", "mixed-%")
        .where("uses", ">", 0)
        .execute();
      expect(tags).toEqual([{ domain, uses: 1 }]);
    });
  });
});
