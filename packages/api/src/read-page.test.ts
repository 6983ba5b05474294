import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPage } from "./read-page.ts";
import { testDatabases } from "./testing/test-database.ts";
import { startTestHub, type TestHub } from "./testing/test-hub.ts";

const ip = "192.0.2.7";

/** Docs/decisions/0019: a page brings its data along, and never waits for it. */
describe.each(testDatabases())("what the hub says within a page (on %s)", (database) => {
  let hub: TestHub;
  let id: number;
  const read = (pathname: string) => readPage(hub.hub, { pathname, hasQuery: false, ip });

  beforeAll(async () => {
    hub = await startTestHub({ database, config: { rateLimits: true } });
    const ada = await hub.member("ada");
    const { body } = await ada.post("/api/souls", { title: "Echo", content: "Say it again." });
    id = body.id;
  });
  afterAll(() => hub.close());

  it("is what everybody may see", async () => {
    expect((await read("/")).data.souls).toMatchObject({ total: 1, data: [{ id }] });
    expect((await read(`/chat/${id}/x`)).data.soul).toMatchObject({ data: { id, title: "Echo" } });
    const page = await read(`/soul/${id}`);
    expect(page).toMatchObject({ preview: { title: "Echo" }, data: { soul: { data: { id } } } });
  });

  it("is left out where the database takes its time", async () => {
    const { db } = hub.hub.database;
    const { byId } = hub.hub.souls;
    hub.hub.souls.byId = () => new Promise(() => {});
    expect(await read(`/chat/${id}/x`)).toEqual({ preview: undefined, data: {} });
    hub.hub.souls.byId = async () => (await sql<never>`select 1 from nowhere`.execute(db)).rows[0];
    expect(await read(`/chat/${id}/x`)).toEqual({ preview: undefined, data: {} });
    hub.hub.souls.byId = byId;
    expect(hub.log.filter((line) => line.includes("a page goes without its data"))).toHaveLength(1);
  });

  it("is not read for whoever is refused", async () => {
    const { byId } = hub.hub.souls;
    let asked = 0;
    hub.hub.souls.byId = (soul) => {
      asked += 1;
      return byId(soul);
    };
    const answers: unknown[] = [];
    while (!answers.includes("rate_limited")) {
      const before = asked;
      answers.push(await read(`/soul/${id}`).catch(({ code }) => code));
      expect(asked - before).toBe(answers.at(-1) === "rate_limited" ? 0 : 2);
    }
    expect((await read("/")).data).toEqual({});
  });
});
