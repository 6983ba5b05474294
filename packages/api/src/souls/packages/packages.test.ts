import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ruleDatabase } from "../../testing/test-database.ts";
import { cardText, exportFile, importFile, storedPackages } from "../exchange/exchange.fixture.ts";
import { type PeopledHub, startPeopledHub } from "../souls.fixture.ts";

describe("the package of a soul", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  afterAll(() => hub.close());
  beforeEach(async () => {
    for (const { id } of (await hub.ada.get("/api/my-souls")).body.data)
      await hub.ada.delete(`/api/soul/${id}`);
    for (const { id } of (await hub.bob.get("/api/my-souls")).body.data)
      await hub.bob.delete(`/api/soul/${id}`);
  });

  const card = cardText({ scenario: "A storm." });
  const imported = async (actor = hub.ada, file = card, query: object = { is_public: 1 }) =>
    (await importFile(actor, file, query)).body.id as number;
  const cardOf = async (id: number, actor = hub.ada) =>
    (await exportFile(hub, actor, id, { format: "card-json" })).bytes.toString();

  it("is stored once, however many souls have it", async () => {
    await imported();
    await imported(hub.bob);
    expect(await storedPackages(hub)).toEqual([2, 2, 1]);
  });

  it("goes with a version, and comes back with a restore", async () => {
    const id = await imported();
    await importFile(hub.ada, cardText(), { soul_id: id });
    expect(await cardOf(id)).toBe(cardText());
    const [former] = (await hub.ada.get(`/api/versions?soul_id=${id}`)).body.data;
    await hub.ada.post("/api/versions", { soul_id: id, version_id: former.id });
    expect(await cardOf(id)).toBe(card);
  });

  it("stays where only a text changed, and is written with the change", async () => {
    const id = await imported();
    await hub.ada.put(`/api/soul/${id}`, { title: "Ørla" });
    expect(await cardOf(id)).toBe(card.replace('"name":"Orla"', '"name":"Ørla"'));
  });

  it("goes with a fork, and with its last holder", async () => {
    const id = await imported();
    const { body } = await hub.bob.post("/api/fork", { soul_id: id });
    await hub.ada.delete(`/api/soul/${id}`);
    expect(await storedPackages(hub)).toEqual([1, 1, 1]);
    expect(await cardOf(body.new_soul_id, hub.bob)).toBe(card);
    await hub.bob.delete(`/api/soul/${body.new_soul_id}`);
    expect(await storedPackages(hub)).toEqual([0, 0, 0]);
  });

  it("keeps bytes that another package has", async () => {
    const first = await imported();
    await imported(hub.bob);
    await hub.ada.delete(`/api/soul/${first}`);
    expect(await storedPackages(hub)).toEqual([1, 1, 1]);
  });

  it("leaves nothing behind where two holders go at once", async () => {
    const id = await imported();
    const { body } = await hub.bob.post("/api/fork", { soul_id: id });
    await Promise.all([
      hub.ada.delete(`/api/soul/${id}`),
      hub.bob.delete(`/api/soul/${body.new_soul_id}`),
    ]);
    expect(await storedPackages(hub)).toEqual([0, 0, 0]);
  });

  it("survives a deletion of the same bytes while it is stored", async () => {
    for (let round = 0; round < 5; round++) {
      const id = await imported();
      const [sent] = await Promise.all([
        importFile(hub.bob, card, { is_public: 1 }),
        hub.ada.delete(`/api/soul/${id}`),
      ]);
      expect(sent.status).toBe(200);
      expect(await cardOf(sent.body.id, hub.bob)).toBe(card);
      await hub.bob.delete(`/api/soul/${sent.body.id}`);
    }
    expect(await storedPackages(hub)).toEqual([0, 0, 0]);
  });
});
