import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RoomName } from "../chat/rows/room-key.ts";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { readPage } from "./read-page.ts";

const ip = "192.0.2.7";

/** Pages contain their data, but do not wait for it if the database is slow (0019). */
describeHub("the data in a page", { config: { rateLimits: true } }, (hub) => {
  let id: number;
  const read = (pathname: string, hasCookie = false) =>
    readPage(hub.hub, { pathname, hasQuery: false, ip, hasCookie });

  beforeAll(async () => {
    const ada = await hub.member("ada");
    const { body } = await ada.post("/api/souls", { title: "Echo", content: "Say it again." });
    id = body.id;
  });

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

  describe("of a room", () => {
    let owner: Actor;
    const room = () => ({ soul_id: id, session_token: `pier-${++number}` });
    let number = 0;
    const linesOf = async (name: RoomName, hasCookie = false) =>
      (await read(`/chat/${id}/${name.session_token}`, hasCookie)).data.room?.messages.map(
        ({ content }) => content,
      );
    const say = async (name: RoomName, content: string) =>
      expect((await owner.post("/api/say", { ...name, content })).status).toBe(200);

    // Each account has a rate limit of its own.
    beforeEach(async () => {
      owner = await hub.vip(`rita-${number}`);
    });

    it("contains the newest messages that everyone may read", async () => {
      const open = room();
      for (let n = 1; n <= 12; n++) await say(open, `line ${n}`);
      const newest = Array.from({ length: 10 }, (_, n) => `line ${n + 3}`);
      expect(await linesOf(open)).toEqual(newest);
    });

    it("contains no long conversation", async () => {
      const open = room();
      for (const letter of ["a", "b", "c"]) await say(open, letter.repeat(7_000));
      expect((await linesOf(open))?.map(([letter]) => letter)).toEqual(["b", "c"]);
      await say(open, "\u0001".repeat(7_000));
      expect(await linesOf(open)).toBeUndefined();
    });

    it("contains what GET /api/chat-sync returns without a credential", async () => {
      const open = room();
      for (const content of ["keep", "take back", "keep too"]) await say(open, content);
      const address = `soul_id=${id}&session_token=${open.session_token}`;
      const sync = async () =>
        (await hub.guest().get(`/api/chat-sync?${address}`)).body.new_messages;
      const [, second] = await sync();
      const query = `${address}&id=${second.id}`;
      expect((await owner.delete(`/api/message?${query}`)).status).toBe(200);
      const shown = (await read(`/chat/${id}/${open.session_token}`)).data.room?.messages;
      // Live events and the page's data also link each message to the one before it.
      expect(shown?.map(({ prev_id: _, ...line }) => line)).toEqual(await sync());
      expect(shown?.map(({ content }) => content)).toEqual(["keep", "[removed]", "keep too"]);
    });

    it("contains no message for a caller with a cookie, who may be banned or have blocked the sender", async () => {
      const open = room();
      await say(open, "hello");
      expect(await linesOf(open, true)).toBeUndefined();
      expect(await linesOf(open)).toEqual(["hello"]);
    });

    it("contains nothing of a private room, and of no room where guests may not read", async () => {
      const open = room();
      await say(open, "a secret");
      hub.hub.config.guests = false;
      expect(await linesOf(open)).toBeUndefined();
      hub.hub.config.guests = true;
      await owner.post("/api/chat", { ...open, content: "Hush.", is_private: true });
      expect(await linesOf(open)).toBeUndefined();
      expect(await linesOf({ ...open, session_token: "not a token" })).toBeUndefined();
    });
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
