import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { miniApps } from "./catalogue.ts";

interface Entry {
  slug: string;
  category: string;
}

describeHub("mini apps", {}, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
  });

  const publish = async (fields: object, owner = ada): Promise<number> =>
    (await owner.post("/api/souls", { title: "A soul", content: "SECRET PROMPT", ...fields })).body
      .id;
  const slugs = async (query: string): Promise<string[]> =>
    (await hub.guest().get(`/api/apps?${query}`)).body.data.map(({ slug }: Entry) => slug);
  const read = (slug: string, reader = hub.guest()) => reader.get(`/api/apps?slug=${slug}`);

  describe("GET /api/apps", () => {
    it("lists every app in the documented shape, without credentials", async () => {
      const { status, body, headers } = await hub.guest().get("/api/apps");
      expect([status, body.success, body.count]).toEqual([200, true, miniApps.size]);
      expect(body.data.find(({ slug }: Entry) => slug === "chess-lesson")).toEqual({
        slug: "chess-lesson",
        icon: "icon-knight",
        category: "games",
        title: "Chess Lesson",
        description: expect.stringContaining("Go over a game"),
        badge: "",
        field_count: 5,
        search_keywords: "chess endgames openings tactics",
      });
      expect(body.data).toHaveLength(body.count);
      expect(headers.get("set-cookie")).toBeNull();
    });

    it("filters by category", async () => {
      expect(await slugs("category=software-engineering")).toEqual(["bug-hunt", "code-review"]);
      expect(await slugs("category=")).toHaveLength(miniApps.size);
    });

    it.each([
      ["a word of the title", "CHESS", "chess-lesson"],
      ["a part of a word", "hess less", "chess-lesson"],
      ["words of the description", "opening speed", "chess-lesson"],
      ["a keyword", "endgames", "chess-lesson"],
      ["the category", "law-rights", "clause-by-clause"],
      ["words of different apps", "fever allergies cooking dinner hungry", undefined],
      ["words of several places", "dinner hungry recipes food-cooking", "dinner-tonight"],
      ["surrounding spaces", "  endgames  ", "chess-lesson"],
      ["an unknown word", "zzz", undefined],
      ["a literal %", "%", undefined],
      ["a literal .*", ".*", undefined],
      ["a literal |", "chess|law", undefined],
    ])("searches for %s", async (_, q, slug) => {
      const found = await slugs(`q=${encodeURIComponent(q)}`);
      expect(found).toEqual(slug === undefined ? [] : [slug]);
    });

    it("searches within the category", async () => {
      expect(await slugs("category=education&q=exam")).toEqual(["quiz-me"]);
    });

    it("returns an empty list for an unknown category", async () => {
      const { status, body } = await hub.guest().get("/api/apps?category=cars");
      expect([status, body]).toEqual([200, { success: true, count: 0, data: [] }]);
    });

    it.each([
      ["slug=__proto__", 404, "app_not_found"],
      ["slug=Chess-Lesson", 404, "app_not_found"],
      ["slug=chess-lesson&slug=quiz-me", 400, "invalid_input"],
      [`q=${"x".repeat(201)}`, 400, "invalid_input"],
      ["category=a&category=b", 400, "invalid_input"],
    ])("responds to %s with %i %s", async (query, status, error) => {
      const answer = await hub.guest().get(`/api/apps?${query}`);
      expect([answer.status, answer.body.error]).toEqual([status, error]);
    });
  });

  describe("GET /api/apps?slug", () => {
    it("returns the app, its form and the matching souls", async () => {
      const id = await publish({ title: "Rook", description: "Endgames and patience" });
      const { status, body } = await read("chess-lesson");
      const listed = (await hub.guest().get("/api/apps?q=chess")).body.data[0];
      const { fields, souls, ...entry } = body.data;
      expect([status, Object.keys(body)]).toEqual([200, ["success", "data"]]);
      expect(entry).toEqual(listed);
      expect(fields[0]).toEqual({
        name: "lesson",
        label: "Lesson",
        type: "select",
        required: true,
        options: expect.arrayContaining(["Train tactics"]),
        placeholder: "",
        help: "",
      });
      expect(fields[1]).toMatchObject({ type: "number", required: false, min: 100, max: 3000 });
      expect(fields[3]).toMatchObject({ type: "textarea", max_length: 1000 });
      expect(fields).toHaveLength(entry.field_count);
      expect(souls).toContainEqual({ id, title: "Rook", description: "Endgames and patience" });
    });

    it("does not reveal prompts", async () => {
      await publish({ title: "Chess" });
      const { text } = await read("chess-lesson");
      expect(text).not.toMatch(/SECRET PROMPT|content|request/);
    });
  });
});
