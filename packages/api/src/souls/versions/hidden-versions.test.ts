import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub } from "../souls.fixture.ts";

const SECRET = "the whale oil of Skarholm";

/** A hidden version does not exist for callers other than the owner (decisions §7). */
describe("a hidden version", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  /** The id of a soul with four versions, of which the third is hidden. */
  let id: number;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  beforeEach(async () => {
    id = await hub.publish({ content: "one" });
    await edit({ content: "two" });
    await edit({ content: SECRET, note: SECRET });
    await edit({ content: "four" });
    expect((await hide(3, true)).status).toBe(200);
  });
  afterAll(() => hub.close());

  const edit = (changes: object) => hub.ada.put(`/api/soul/${id}`, changes);
  const hide = (number: number, is_hidden: boolean) =>
    hub.ada.put("/api/version", { soul_id: id, number, is_hidden });
  const strangers = () => [hub.bob, hub.guest()];
  const numbers = async (reader: Actor, query = "") => {
    const { body } = await reader.get(`/api/versions?soul_id=${id}${query}`);
    return body.data.map(({ number }: { number: number }) => number);
  };
  const codeOf = async (reader: Actor, path: string) => {
    const { status, body, text } = await reader.get(path);
    expect(text).not.toContain(SECRET);
    return [status, body.error];
  };

  it("is absent from the lists of others", async () => {
    for (const stranger of strangers()) {
      expect(await numbers(stranger)).toEqual([2, 1]);
      expect(await numbers(stranger, "&content=false")).toEqual([2, 1]);
      const { text } = await stranger.get(`/api/versions?soul_id=${id}`);
      expect(text).not.toMatch(new RegExp(`${SECRET}|is_hidden`));
    }
  });

  it("is not found by others, like a version that never existed", async () => {
    for (const stranger of strangers()) {
      for (const path of [
        `/api/version?soul_id=${id}&number=3`,
        `/api/version-diff?soul_id=${id}&from=3`,
        `/api/version-diff?soul_id=${id}&from=2&to=3`,
        `/api/version-diff?soul_id=${id}&from=3&to=3`,
        `/api/version?soul_id=${id}&number=5`,
      ]) {
        expect([path, await codeOf(stranger, path)]).toEqual([path, [404, "version_not_found"]]);
      }
    }
  });

  it("is not the version with which others compare the present one", async () => {
    const compared = async (reader: Actor) => {
      const { body } = await reader.get(`/api/version-diff?soul_id=${id}`);
      return [body.data.from, body.data.to];
    };
    expect(await compared(hub.bob)).toEqual([2, 4]);
    expect(await compared(hub.ada)).toEqual([3, 4]);
  });

  it("is neither in the soul nor in its forks", async () => {
    const { body } = await hub.bob.post("/api/fork", { soul_id: id });
    for (const soul of [id, body.new_soul_id]) {
      const { text } = await hub.bob.get(`/api/soul/${soul}`);
      expect(text).toContain("four");
      expect(text).not.toMatch(new RegExp(`${SECRET}|is_hidden`));
    }
  });

  it("can be neither set nor restored by others", async () => {
    const { body } = await hub.ada.get(`/api/versions?soul_id=${id}`);
    const [third] = body.data;
    const answers = [
      await hub.bob.put("/api/version", { soul_id: id, number: 3, is_hidden: false }),
      await hub.bob.post("/api/versions", { soul_id: id, version_id: third.id }),
    ];
    expect(answers.map((answer) => answer.body.error)).toEqual(["not_owner", "not_owner"]);
  });

  it("is listed, read and compared by its owner, who is told that it is hidden", async () => {
    const { body } = await hub.ada.get(`/api/versions?soul_id=${id}`);
    expect(
      body.data.map((one: { number: number; is_hidden: boolean }) => [one.number, one.is_hidden]),
    ).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    const third = await hub.ada.get(`/api/version?soul_id=${id}&number=3`);
    expect(third.body.data).toMatchObject({ content: SECRET, is_hidden: true });
    const present = await hub.ada.get(`/api/version?soul_id=${id}`);
    expect(present.body.data.is_hidden).toBe(false);
    const diff = await hub.ada.get(`/api/version-diff?soul_id=${id}&from=3`);
    expect(diff.status).toBe(200);
  });

  it("stays hidden while the soul changes, keeps its number, and can be shown again", async () => {
    await edit({ content: "five" });
    expect(await numbers(hub.bob)).toEqual([4, 2, 1]);
    await hide(3, false);
    expect(await numbers(hub.bob)).toEqual([4, 3, 2, 1]);
    await hide(3, true);
    expect(await numbers(hub.bob)).toEqual([4, 2, 1]);
  });

  it("can be restored by its owner; the restored state is not hidden", async () => {
    const { body } = await hub.ada.get(`/api/versions?soul_id=${id}&content=false`);
    const { id: version_id } = body.data.find(({ number }: { number: number }) => number === 3);
    await hub.ada.post("/api/versions", { soul_id: id, version_id });
    expect(await hub.read(id, hub.bob)).toMatchObject({
      content: SECRET,
      version_note: "Restored from version 3.",
    });
  });
});
