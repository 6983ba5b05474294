import { beforeAll, describe, expect, it } from "vitest";
import {
  archiveOf,
  formerVersion,
  importArchive,
  soulFiles,
} from "../account-archive/archive.fixture.ts";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { importFile } from "./exchange/exchange.fixture.ts";

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describeHub("the endpoints of souls", {}, (hub) => {
  let ada: Actor;
  let bob: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
    bob = await hub.member("bob");
  });

  const publish = async (fields: object = {}, owner = ada): Promise<number> =>
    (await owner.post("/api/souls", { title: "A soul", content: "# Be kind", ...fields })).body.id;
  const read = async (id: number, reader: Actor = hub.guest()) =>
    (await reader.get(`/api/soul/${id}`)).body.data;

  describe("POST /api/souls", () => {
    it("needs only title and content, and fills the other fields with defaults", async () => {
      const { status, body } = await ada.post("/api/souls", {
        title: "  Mira  ",
        content: "# Mira\n",
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        message: expect.any(String),
        id: expect.any(Number),
        url: `${hub.url}/soul/${body.id}`,
      });
      expect(await read(body.id)).toEqual({
        id: body.id,
        user_id: expect.any(Number),
        username: "ada",
        title: "Mira",
        description: "",
        content: "# Mira\n",
        content_hidden: false,
        file_type: "single_md",
        role: "Other",
        domain: "",
        compatibility: "any",
        is_public: 1,
        like_count: 0,
        fork_count: 0,
        avg_rating: 0,
        total_ratings: 0,
        forked_from: null,
        nft_contract: null,
        version: 1,
        version_note: null,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        has_package: false,
        signature: null,
        created_at: expect.stringMatching(TIME),
        updated_at: expect.stringMatching(TIME),
      });
    });

    it("stores content byte for byte", async () => {
      const content = "\ufeff  line\r\n\ttab \u00a0 e\u0301 👩‍👩‍👧 \u202e end\n\n";
      expect((await read(await publish({ content }))).content).toBe(content);
    });

    it.each([
      ["a category slug", "software-engineering", "software-engineering"],
      ["an unknown slug", "astrology", "Other"],
      ["another case", "Software-Engineering", "Other"],
      ["a very long text", "x".repeat(50_000), "Other"],
      ["an empty string", "", "Other"],
    ])("stores a known role and replaces another one by Other: %s", async (_, role, stored) => {
      expect((await read(await publish({ role }))).role).toBe(stored);
    });

    it("stores a domain trimmed and in lower case", async () => {
      expect((await read(await publish({ domain: "  Marine Biology " }))).domain).toBe(
        "marine biology",
      );
    });

    it.each([
      [{ "SOUL.md": "a", "STYLE.md": "b", "RULES.md": "c" }, "full_soul_folder"],
      [{ "SOUL.md": "a" }, "full_soul_folder"],
      [{}, "single_md"],
      [{ "no extension": "a" }, "single_md"],
      [{ "SOUL.md": 1 }, "single_md"],
      [["SOUL.md"], "single_md"],
      [
        Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`F${n}.md`, ""])),
        "full_soul_folder",
      ],
      [Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`F${n}.md`, ""])), "single_md"],
    ])("detects the file type of %j", async (content, fileType) => {
      expect((await read(await publish({ content: JSON.stringify(content) }))).file_type).toBe(
        fileType,
      );
    });

    it.each(["__proto__", "constructor", "prototype", "../SOUL.md", "a/b.md", "..", "a..md"])(
      "refuses a folder with a file named %s",
      async (name) => {
        const content = `{"SOUL.md": "a", ${JSON.stringify(name)}: "b"}`;
        const { status, body } = await ada.post("/api/souls", { title: "T", content });
        expect([status, body.error, body.details[0].field]).toEqual([
          400,
          "invalid_input",
          "content",
        ]);
      },
    );

    it("refuses a folder that names a file twice, and a change to one", async () => {
      const id = await publish({ content: '{"SOUL.md": "\\"a\\": {"}' });
      for (const content of [
        '{"SOUL.md": "a", "SOUL.md": "b"}',
        '{"SOUL.md": {"A.md": "a"}, "B.md": "b", "SOUL\\u002emd": "b"}',
      ]) {
        const answers = [
          await ada.post("/api/souls", { title: "T", content }),
          await ada.put(`/api/soul/${id}`, { content }),
          await importFile(ada, Buffer.from(content)),
        ];
        expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
      }
      expect((await read(id)).version).toBe(1);
      // In an archive the text that counted comes back, the last one.
      const doubled = { ...formerVersion, content: '{"SOUL.md": "a", "SOUL.md": "b"}' };
      await importArchive(bob, archiveOf(soulFiles(7, { former: [doubled] })));
      const [soul] = (await bob.get("/api/my-souls")).body.data;
      const [former] = (await bob.get(`/api/versions?soul_id=${soul.id}&limit=1`)).body.data;
      const version = await bob.get(`/api/version?soul_id=${soul.id}&number=${former.number}`);
      expect(version.body.data.content).toBe('{"SOUL.md":"b"}');
    });

    it.each([
      ["title", undefined],
      ["title", "  \n "],
      ["title", "x".repeat(121)],
      ["content", undefined],
      ["content", " \t\n"],
      ["content", "x".repeat(200_001)],
      ["content", "a\u0000b"],
      ["content", "\ud800"],
      ["description", "x".repeat(2_001)],
      ["domain", "x".repeat(101)],
      ["compatibility", "x".repeat(101)],
      ["is_public", 2],
      ["is_public", true],
      ["title", 5],
    ])("refuses %s %j", async (field, value) => {
      const { status, body } = await ada.post("/api/souls", {
        title: "T",
        content: "C",
        [field]: value,
      });
      expect([status, body.error]).toEqual([400, "invalid_input"]);
      expect(body.details[0].field).toBe(field);
    });

    it("counts limits in characters: 120 and 200,000 characters of four bytes each are accepted", async () => {
      const id = await publish({ title: "🪐".repeat(120), content: "🪐".repeat(200_000) });
      expect([...(await read(id)).content]).toHaveLength(200_000);
    });
  });

  describe("GET /api/soul/{id}", () => {
    it("returns a private soul to its owner and answers other callers as for a missing one", async () => {
      const id = await publish({ is_public: 0 });
      expect((await ada.get(`/api/soul/${id}`)).body.data.is_public).toBe(0);
      for (const other of [bob, hub.guest()]) {
        const { status, body } = await other.get(`/api/soul/${id}`);
        const missing = await other.get("/api/soul/9007199254740991");
        expect([status, body.error]).toEqual([404, "soul_not_found"]);
        expect({ ...body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
      }
    });

    it.each(["0", "-1", "1.5", "abc", "9007199254740992", "1e3", "0x1", " 1", ""])(
      "refuses the id %j",
      async (id) => {
        const { status, body } = await hub.guest().get(`/api/soul/${encodeURIComponent(id)}`);
        expect([status, body.error]).toEqual([400, "invalid_input"]);
      },
    );
  });

  describe("PUT /api/soul/{id}", () => {
    it("changes the given fields and no other field", async () => {
      const id = await publish({ title: "Before", description: "kept", domain: "kept" });
      const { status, body } = await ada.put(`/api/soul/${id}`, { title: "After" });
      expect([status, body.success, typeof body.message]).toEqual([200, true, "string"]);
      const after = await read(id);
      expect([after.title, after.description, after.domain]).toEqual(["After", "kept", "kept"]);
    });

    it("detects the file type of new content", async () => {
      const id = await publish();
      await ada.put(`/api/soul/${id}`, { content: '{"SOUL.md": "x"}' });
      expect((await read(id)).file_type).toBe("full_soul_folder");
    });

    it.each([
      ["no known field", {}],
      ["only unknown fields", { colour: "red" }],
      ["only a note", { note: "Nothing new." }],
      ["a note of 501 characters", { title: "T", note: "x".repeat(501) }],
      ["an empty title", { title: "" }],
      ["null", { title: null }],
    ])("refuses %s", async (_, body) => {
      const answer = await ada.put(`/api/soul/${await publish()}`, body);
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_input"]);
    });

    it("refuses other accounts: not_owner for a public soul, soul_not_found for a private one", async () => {
      const open = await bob.put(`/api/soul/${await publish()}`, { title: "mine" });
      const hidden = await bob.put(`/api/soul/${await publish({ is_public: 0 })}`, {
        title: "mine",
      });
      expect([open.status, open.body.error]).toEqual([403, "not_owner"]);
      expect([hidden.status, hidden.body.error]).toEqual([404, "soul_not_found"]);
    });
  });

  describe("the version history", () => {
    const snapshots = (id: number) =>
      hub.hub.database.db
        .selectFrom("soul_versions")
        .selectAll()
        .where("soul_id", "=", id)
        .orderBy("id")
        .execute();

    it("stores the state before each successful PUT, and nothing for a refused PUT", async () => {
      const id = await publish({ title: "v1" });
      await ada.put(`/api/soul/${id}`, { title: "v2", is_public: 0 });
      await bob.put(`/api/soul/${id}`, { title: "v3" });
      await ada.put(`/api/soul/${id}`, { title: "" });
      await ada.put(`/api/soul/${id}`, { title: "v4" });
      const kept = await snapshots(id);
      expect(kept.map(({ title, is_public }) => [title, is_public])).toEqual([
        ["v1", 1],
        ["v2", 0],
      ]);
    });

    it("stores one snapshot for each of 20 concurrent PUTs", async () => {
      const id = await publish({ title: "start" });
      const titles = Array.from({ length: 20 }, (_, n) => `t${n}`);
      await Promise.all(titles.map((title) => ada.put(`/api/soul/${id}`, { title })));
      const states = [...(await snapshots(id)).map(({ title }) => title), (await read(id)).title];
      expect(states[0]).toBe("start");
      expect(states.slice(1).sort()).toEqual([...titles].sort());
    });
  });

  describe("DELETE /api/soul/{id}", () => {
    it("removes the soul and its history permanently", async () => {
      const id = await publish();
      await ada.put(`/api/soul/${id}`, { title: "x" });
      expect((await ada.delete(`/api/soul/${id}`)).body.success).toBe(true);
      expect((await ada.get(`/api/soul/${id}`)).status).toBe(404);
      expect((await ada.delete(`/api/soul/${id}`)).body.error).toBe("soul_not_found");
      const left = await hub.hub.database.db
        .selectFrom("soul_versions")
        .select("id")
        .where("soul_id", "=", id)
        .execute();
      expect(left).toEqual([]);
    });

    it("refuses callers other than the owner", async () => {
      const id = await publish();
      expect((await bob.delete(`/api/soul/${id}`)).body.error).toBe("not_owner");
      expect((await hub.guest().delete(`/api/soul/${id}`)).status).toBe(401);
      expect((await read(id)).id).toBe(id);
    });
  });

  it("counts the souls of each domain tag through publish, update and delete", async () => {
    const a = await publish({ domain: "tag-a" });
    const b = await publish({ domain: "tag-a" });
    await publish({ domain: "tag-b" });
    await ada.put(`/api/soul/${a}`, { domain: "tag-b" });
    await ada.put(`/api/soul/${a}`, { title: "same tag" });
    await ada.delete(`/api/soul/${b}`);
    const tags = await hub.hub.database.db
      .selectFrom("domain_tags")
      .selectAll()
      .where("domain", "like", "tag-%")
      .orderBy("domain")
      .execute();
    expect(tags).toEqual([
      { domain: "tag-a", uses: 0 },
      { domain: "tag-b", uses: 2 },
    ]);
  });
});
