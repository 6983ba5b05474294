import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import { readPage } from "./read-page.ts";

const ip = "192.0.2.7";

/** Pages contain their data, but do not wait for it if the database is slow (0019). */
describe.each(testDatabases())("the data in a page (on %s)", (database) => {
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

  it("contains public souls", async () => {
    expect((await read("/")).data.souls).toMatchObject({ total: 1, data: [{ id }] });
    expect((await read(`/chat/${id}/x`)).data.soul).toMatchObject({ data: { id, title: "Echo" } });
    const page = await read(`/soul/${id}`);
    expect(page).toMatchObject({ preview: { title: "Echo" }, data: { soul: { data: { id } } } });
  });

  it("contains a shared conversation until its share is revoked", async () => {
    const owner = await hub.vip("olga");
    const room = { soul_id: id, session_token: "shared-room" };
    await owner.post("/api/chat", { ...room, content: "Read me." });
    const { body } = await owner.post("/api/shares", room);
    const path = `/share/${body.share_id}`;
    const page = await read(path);
    expect(page).toMatchObject({
      preview: { title: "A conversation with Echo", isUnlisted: true },
      data: { share: { data: { soul_id: id, messages: [{ content: "Read me." }, {}] } } },
    });
    expect(JSON.stringify(page)).not.toContain(room.session_token);
    await owner.delete(`/api/shares?share_id=${body.share_id}`);
    expect(await read(path)).toEqual({ preview: null, data: {} });
  });

  it("does not tell whether an invite exists", async () => {
    const { preview, data } = await read("/join/anything");
    expect([preview?.isUnlisted, data]).toEqual([true, {}]);
  });

  it("is left out if the database is slow or fails", async () => {
    const { db } = hub.hub.database;
    const { byId } = hub.hub.souls;
    hub.hub.souls.byId = () => new Promise(() => {});
    expect(await read(`/chat/${id}/x`)).toEqual({ preview: undefined, data: {} });
    hub.hub.souls.byId = async () => (await sql<never>`select 1 from nowhere`.execute(db)).rows[0];
    expect(await read(`/chat/${id}/x`)).toEqual({ preview: undefined, data: {} });
    hub.hub.souls.byId = byId;
    expect(
      hub.log.filter((line) => line.includes("a page is served without its data")),
    ).toHaveLength(1);
  });

  it("is not read for a caller over its rate limit", async () => {
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
