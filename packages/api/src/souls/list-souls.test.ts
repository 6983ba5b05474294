import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";

describeHub("lists of souls", {}, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
  });

  const publish = async (fields: object): Promise<number> =>
    (await ada.post("/api/souls", { content: "text", ...fields })).body.id;
  const titles = async (query: string): Promise<string[]> => {
    const { body } = await hub.guest().get(`/api/souls?${query}`);
    return body.data.map(({ title }: { title: string }) => title);
  };
  const count = (id: number, counters: object) =>
    hub.hub.database.db.updateTable("souls").set(counters).where("id", "=", id).execute();

  describe("GET /api/categories", () => {
    it("lists the categories, each with an emoji", async () => {
      const { status, body } = await hub.guest().get("/api/categories");
      expect([status, body.success]).toEqual([200, true]);
      expect(body.count).toBe(body.data.length);
      expect(body.data.length).toBeGreaterThanOrEqual(12);
      for (const category of body.data) {
        expect(Object.keys(category)).toEqual(["id", "name", "slug", "icon"]);
        expect(category.icon).toMatch(/\p{Extended_Pictographic}/u);
      }
    });
  });

  describe("GET /api/souls", () => {
    beforeAll(async () => {
      const a = await publish({ title: "Apple Sage", description: "orchards", role: "games" });
      const b = await publish({ title: "Banana", description: "An apple a day", domain: "fruit" });
      const c = await publish({ title: "Apple", description: "", role: "games" });
      await publish({ title: "Hidden apple", is_public: 0 });
      await publish({ title: "100% a_b 'quoted\" & (x|y) !z <-> :*" });
      await count(a, { like_count: 1, fork_count: 5, rating_sum: 5, rating_count: 1 });
      await count(b, { like_count: 9, fork_count: 2, rating_sum: 8, rating_count: 2 });
      await count(c, { like_count: 1, fork_count: 2 });
    });

    it("lists public souls in the documented shape, newest first", async () => {
      const { status, body, headers } = await hub.guest().get("/api/souls");
      expect([status, body.success, body.count, body.total, body.has_more]).toEqual([
        200,
        true,
        4,
        4,
        false,
      ]);
      expect(body.data.map(({ title }: { title: string }) => title).slice(1)).toEqual([
        "Apple",
        "Banana",
        "Apple Sage",
      ]);
      expect(body.data[2]).toEqual({
        id: expect.any(Number),
        title: "Banana",
        description: "An apple a day",
        role: "Other",
        domain: "fruit",
        compatibility: "any",
        file_type: "single_md",
        like_count: 9,
        fork_count: 2,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        username: "ada",
        avg_rating: 4,
        total_ratings: 2,
      });
      expect(headers.get("set-cookie")).toBeNull();
    });

    it.each([
      ["popular", ["Banana", "Apple Sage", "Apple"]],
      ["forks", ["Apple Sage", "Apple", "Banana"]],
      ["rating", ["Apple Sage", "Banana", "Apple"]],
      ["newest", ["Apple", "Banana", "Apple Sage"]],
    ])("sorts by %s, and ties by the newer id", async (sort, expected) => {
      const sorted = await titles(`sort=${sort}`);
      expect(sorted.filter((title) => expected.includes(title))).toEqual(expected);
    });

    it("sorts by the last update", async () => {
      const { body } = await hub.guest().get("/api/souls?q=Apple%20Sage");
      expect(body.data[0].title).toBe("Apple Sage");
      await ada.put(`/api/soul/${body.data[0].id}`, { compatibility: "some" });
      expect((await titles("sort=updated"))[0]).toBe("Apple Sage");
    });

    it("filters by role, and returns nothing for an unknown role", async () => {
      expect(await titles("role=games")).toEqual(["Apple", "Apple Sage"]);
      expect(await titles("role=no-such")).toEqual([]);
    });

    it("pages by limit and offset without gaps or duplicates", async () => {
      const all = await titles("");
      expect([...(await titles("limit=2")), ...(await titles("limit=2&offset=2"))]).toEqual(all);
      for (const [query, has_more] of [
        ["limit=3", true],
        ["limit=4", false],
        ["limit=1&offset=2", true],
        ["limit=1&offset=3", false],
        ["limit=1&offset=10000", false],
      ]) {
        const { body } = await hub.guest().get(`/api/souls?${query}`);
        expect([query, body.total, body.has_more]).toEqual([query, 4, has_more]);
      }
    });

    it.each([
      "limit=0",
      "limit=101",
      "limit=ten",
      "limit=1.5",
      "limit=",
      "limit=1&limit=2",
      "offset=-1",
      "offset=10001",
      "sort=best",
      `q=${"x".repeat(1_001)}`,
      "q=chess&match=meaning",
      "q=%00",
      "q=%ff",
    ])("refuses %s", async (query) => {
      const { status, body } = await hub.guest().get(`/api/souls?${query}`);
      expect([status, body.error]).toEqual([400, "invalid_input"]);
    });

    it("ignores unknown parameters", async () => {
      expect(await titles("colour=red&limit=1")).toHaveLength(1);
    });
  });

  describe("GET /api/my-souls", () => {
    it("lists the caller's own souls, including private ones, in pages", async () => {
      const owner = await hub.member("carol");
      for (const is_public of [1, 0]) {
        await owner.post("/api/souls", { title: "A soul", content: "text", is_public });
      }
      const pages = [
        (await owner.get("/api/my-souls?limit=1")).body,
        (await owner.get("/api/my-souls?limit=1&offset=1")).body,
      ];
      expect(pages).toMatchObject([
        { count: 1, total: 2, has_more: true, data: [{ is_public: 0 }] },
        { count: 1, total: 2, has_more: false, data: [{ is_public: 1 }] },
      ]);
    });

    it("refuses guests, and shows an account no souls of others", async () => {
      expect((await hub.guest().get("/api/my-souls")).status).toBe(401);
      const other = await hub.member("other");
      expect((await other.get("/api/my-souls")).body.data).toEqual([]);
    });
  });
});
