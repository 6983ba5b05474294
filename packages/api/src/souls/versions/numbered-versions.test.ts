import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../souls.fixture.ts";
import { versionDigest } from "../version/version-digest.ts";

interface Version {
  id: number;
  number: number;
  note: string | null;
}

describe("numbered versions", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  let ada: Actor;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ada = hub.ada;
  });
  afterAll(() => hub.close());

  const edit = (id: number, changes: object) => ada.put(`/api/soul/${id}`, changes);
  const list = async (soulId: number, reader = ada, query = ""): Promise<Version[]> =>
    (await reader.get(`/api/versions?soul_id=${soulId}${query}`)).body.data;
  const get = (soulId: number, number: number | "" = "", reader: Actor = hub.guest()) =>
    reader.get(`/api/version?soul_id=${soulId}${number && `&number=${number}`}`);
  const set = (soul_id: number, number: number, settings: object, actor = ada) =>
    actor.put("/api/version", { soul_id, number, ...settings });
  /** Publishes a soul and changes it three times, with a note each time. */
  const fourVersions = async () => {
    const id = await hub.publish({ content: "one", note: "First." });
    for (const content of ["two", "three", "four"]) {
      await edit(id, { content, note: `Now ${content}.` });
    }
    return id;
  };

  it("have the numbers 1 to 4 and their notes after three PUTs with notes", async () => {
    const id = await fourVersions();
    expect(await hub.read(id)).toMatchObject({ version: 4, version_note: "Now four." });
    expect((await list(id)).map(({ number, note }) => [number, note])).toEqual([
      [3, "Now three."],
      [2, "Now two."],
      [1, "First."],
    ]);
    const texts = ["one", "two", "three", "four"];
    for (const [at, content] of texts.entries()) {
      const { status, body } = await get(id, at + 1);
      expect([status, body.data]).toMatchObject([
        200,
        { soul_id: id, number: at + 1, content, is_current: content === "four" },
      ]);
    }
  });

  it("tell the number of the new state to the author of each change", async () => {
    const id = await hub.publish();
    expect((await edit(id, { title: "two" })).body.version).toBe(2);
    const [first] = await list(id);
    const restored = await ada.post("/api/versions", { soul_id: id, version_id: first?.id });
    expect(restored.body.version).toBe(3);
  });

  it("stay without a note unless the change has one", async () => {
    const id = await hub.publish();
    await edit(id, { title: "two", note: "  Better title. " });
    await edit(id, { title: "three" });
    await edit(id, { title: "four", note: " \n " });
    await edit(id, { title: "five", note: null });
    expect((await hub.read(id)).version_note).toBeNull();
    expect((await list(id)).map(({ note }) => note)).toEqual([null, null, "Better title.", null]);
  });

  it("have notes of up to 500 characters", async () => {
    const note = "🪐".repeat(500);
    const id = await hub.publish({ note });
    expect((await hub.read(id)).version_note).toBe(note);
    const refused = await ada.post("/api/souls", { title: "T", content: "C", note: `${note}x` });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, "note"]);
  });

  it("are restored as a new version that names the restored one, or has a note of its own", async () => {
    const id = await fourVersions();
    const [, second] = await list(id);
    const restore = (more: object = {}) =>
      ada.post("/api/versions", { soul_id: id, version_id: second?.id, ...more });
    await restore();
    expect(await hub.read(id)).toMatchObject({
      content: "two",
      version: 5,
      version_note: "Restored from version 2.",
    });
    await restore({ note: "Two was better." });
    expect((await hub.read(id)).version_note).toBe("Two was better.");
    await restore({ note: null });
    expect(await hub.read(id)).toMatchObject({ version: 7, version_note: null });
  });

  it("of a fork begin at 1, without the note of the original", async () => {
    const id = await fourVersions();
    const { body } = await hub.bob.post("/api/fork", { soul_id: id });
    expect(await hub.read(body.new_soul_id, hub.bob)).toMatchObject({
      version: 1,
      version_note: null,
    });
  });

  it("get each number once under concurrent changes", async () => {
    const id = await hub.publish({ title: "start" });
    const answers = await Promise.all(
      upTo(20).map((n) => edit(id, { title: `t${n}`, note: `t${n}` })),
    );
    const numbers = answers.map(({ body }) => body.version);
    expect(numbers.sort((a, b) => a - b)).toEqual(upTo(20).map((n) => n + 2));
    expect((await list(id)).map(({ number }) => number)).toEqual(upTo(20).map((n) => 20 - n));
    for (const number of numbers) {
      const { data } = (await get(id, number)).body;
      expect(data.note).toBe(data.title);
    }
  });

  it("have the digest of their own texts", async () => {
    const id = await hub.publish({ title: "A", description: "B", content: "C" });
    const folder = '{"SOUL.md": "x", "STYLE.md": "y"}';
    await edit(id, { content: folder });
    const texts = { title: "A", description: "B" };
    const first = versionDigest({ ...texts, content: "C", file_type: "single_md" });
    const second = versionDigest({ ...texts, content: folder, file_type: "full_soul_folder" });
    expect(await hub.read(id)).toMatchObject({ digest: second, signature: null });
    expect(await list(id)).toMatchObject([{ digest: first }]);
    expect((await get(id, 1)).body.data).toMatchObject({ digest: first, file_type: "single_md" });
    expect((await get(id)).body.data.digest).toBe(second);
  });

  describe("GET /api/version", () => {
    it("returns the present version by default, without the id of a snapshot", async () => {
      const id = await hub.publish({ title: "Mira", content: "# Mira", note: "First." });
      expect((await get(id)).body).toEqual({
        success: true,
        data: {
          id: null,
          soul_id: id,
          number: 1,
          note: "First.",
          title: "Mira",
          description: "",
          content: "# Mira",
          content_hidden: false,
          file_type: "single_md",
          role: "Other",
          domain: "",
          compatibility: "any",
          digest: expect.stringMatching(/^sha256:/),
          content_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          has_package: false,
          signature: null,
          is_current: true,
          edited_at: null,
        },
      });
    });

    it("returns the fields of a listed version", async () => {
      const id = await fourVersions();
      for (const reader of [ada, hub.guest()]) {
        const [, second] = await list(id, reader);
        const { body } = await get(id, 2, reader);
        expect(body.data).toEqual({ ...second, is_current: false });
      }
    });

    it("answers 404 beyond the present version", async () => {
      const id = await fourVersions();
      for (const number of [5, 2 ** 31, 2 ** 53 - 1]) {
        const { status, body } = await get(id, number, ada);
        expect([status, body.error]).toEqual([404, "version_not_found"]);
      }
    });

    it("reads the versions of while the soul was public, except for the owner", async () => {
      const id = await hub.publish({ title: "open" });
      await edit(id, { title: "draft", is_public: 0 });
      await edit(id, { title: "open again", is_public: 1 });
      const outcomes = async (reader: Actor) =>
        Promise.all([1, 2, 3].map(async (number) => (await get(id, number, reader)).status));
      expect(await outcomes(hub.bob)).toEqual([200, 404, 200]);
      expect(await outcomes(ada)).toEqual([200, 200, 200]);
      await edit(id, { is_public: 0 });
      expect(await outcomes(hub.bob)).toEqual([404, 404, 404]);
    });
  });

  it("fails rather than leave out texts that do not fit their schema", async () => {
    const id = await hub.publish();
    await hub.ada.put(`/api/soul/${id}`, { title: "Edited" });
    const read = vi.spyOn(hub.hub.souls, "list").mockImplementationOnce(async (_key, rows) => {
      const [row] = (await rows()) as object[];
      return [{ ...row, file_type: "unknown" }] as never;
    });
    const { status } = await hub.guest().get(`/api/versions?soul_id=${id}`);
    read.mockRestore();
    expect(status).toBe(500);
  });

  describe("GET /api/versions?content=false", () => {
    it("lists the versions without their texts and digests", async () => {
      const id = await fourVersions();
      const entry = {
        id: expect.any(Number),
        soul_id: id,
        title: "A soul",
        content_hidden: false,
        has_package: false,
        signature: null,
        edited_at: expect.any(String),
      };
      expect(await list(id, hub.guest(), "&content=false")).toEqual([
        { ...entry, number: 3, note: "Now three." },
        { ...entry, number: 2, note: "Now two." },
        { ...entry, number: 1, note: "First." },
      ]);
    });

    it("lists all of them where the texts exceed the limit of a response", async () => {
      const id = await hub.publish({ content: "x".repeat(200_000) });
      await Promise.all(upTo(101).map((n) => edit(id, { title: `t${n}` })));
      expect((await list(id)).length).toBeLessThan(101);
      const all = await list(id, ada, "&content=false");
      expect(all.map(({ number }) => number)).toEqual(upTo(101).map((n) => 101 - n));
    });
  });

  describe("PUT /api/version", () => {
    it("sets the note of a former and of the present version", async () => {
      const id = await fourVersions();
      const { updated_at } = await hub.read(id);
      expect((await set(id, 2, { note: "Second." })).status).toBe(200);
      expect((await set(id, 4, { note: "Fourth." })).status).toBe(200);
      expect((await set(id, 1, { note: null })).status).toBe(200);
      expect((await list(id)).map(({ note }) => note)).toEqual(["Now three.", "Second.", null]);
      expect(await hub.read(id)).toMatchObject({ version: 4, version_note: "Fourth.", updated_at });
    });

    it("refuses to hide the present version, and then changes nothing", async () => {
      const id = await fourVersions();
      const { status, body } = await set(id, 4, { is_hidden: true, note: "Gone." });
      expect([status, body.details[0].field]).toEqual([400, "is_hidden"]);
      expect((await hub.read(id)).version_note).toBe("Now four.");
      expect((await set(id, 4, { is_hidden: false })).status).toBe(200);
    });

    it.each([
      ["no setting", {}],
      ["only unknown settings", { title: "x" }],
      ["a note of 501 characters", { note: "x".repeat(501) }],
      ["a number as is_hidden", { is_hidden: 1 }],
    ])("refuses %s", async (_, settings) => {
      const { status, body } = await set(await hub.publish(), 1, settings);
      expect([status, body.error]).toEqual([400, "invalid_input"]);
    });

    it("accepts equal values", async () => {
      const id = await fourVersions();
      expect((await set(id, 2, { note: "Now two.", is_hidden: false })).status).toBe(200);
    });

    it("is for the owner", async () => {
      const id = await fourVersions();
      const outcome = async (number: number, actor: Actor) => {
        const { status, body } = await set(id, number, { note: "mine" }, actor);
        return [status, body.error];
      };
      expect(await outcome(1, hub.bob)).toEqual([403, "not_owner"]);
      expect(await outcome(5, hub.bob)).toEqual([403, "not_owner"]);
      expect(await outcome(5, ada)).toEqual([404, "version_not_found"]);
      await edit(id, { is_public: 0 });
      expect(await outcome(1, hub.bob)).toEqual([404, "soul_not_found"]);
    });
  });
});
