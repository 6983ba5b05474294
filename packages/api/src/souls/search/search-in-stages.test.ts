import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { createWordModel, type WordModel } from "../../testing/word-model.ts";

type Entry = { title: string; match?: string };

describe.each(testDatabases())("a search in three stages (0079) on %s", (database) => {
  let hub: TestHub;
  let ada: Actor;
  const model: WordModel = createWordModel();
  const ids: Record<string, number> = {};
  const publish = async (title: string, fields: object = {}): Promise<number> => {
    const { body } = await ada.post("/api/souls", { title, content: "# Text", ...fields });
    ids[title] = body.id;
    return body.id;
  };
  /** Waits until each soul has its words and its vector. */
  const settled = async () => {
    await hub.hub.searchIndex.run();
    await eventually(() => expect(hub.hub.searchIndex.state.waiting).toBe(0));
  };
  const search = async (q: string, more: object = {}) =>
    (await hub.guest().get(`/api/souls?${new URLSearchParams({ q, ...more })}`)).body;
  const found = async (q: string, more: object = {}) =>
    (await search(q, more)).data.map(({ title, match }: Entry) => `${match}: ${title}`);

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
    expect([total, has_more, how]).toEqual([
      undefined,
      false,
      { corrected: null, meaning: "ready" },
    ]);
  });

  it("lists exact titles and other text before slips, and slips before meaning", async () => {
    expect(await found("code review")).toEqual(["exact: Code Review"]);
    expect(await found("review")).toEqual(["text: Review of Poems", "text: Code Review"]);
    const { data, search: how } = await search("reveiw");
    expect(data.map(({ match }: Entry) => match)).toEqual(["slip", "slip"]);
    expect(how).toEqual({ corrected: "review", meaning: "ready" });
    expect(await found("Code reveiw, comfort?")).toEqual([]);
  });

  it.each([
    ["lost", "Patint Tutor"],
    ["doubled", "Patieent Tutor"],
    ["swapped", "Pateint Tutor"],
    ["wrong", "Patiemt Tutor"],
  ])("corrects a %s letter", async (_, q) => {
    expect((await found(q))[0]).toBe("slip: Patient Tutor");
  });
});
