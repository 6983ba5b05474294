import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { history, lengthen, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";

const idsOf = (messages: { id: number }[]) => messages.map(({ id }) => id);

describeChat("reading a room", {}, (hub) => {
  let vera: Actor;
  let room: RoomName;
  /** Ids of the 450 messages of a long room, in order. */
  let long: number[];

  beforeAll(async () => {
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    await say(vera, room, "line 1");
    await lengthen(hub, 448);
    const { db } = hub.hub.database;
    const rows = await db.selectFrom("chat_messages").select("id").orderBy("id").execute();
    long = idsOf(rows);
  });

  describe("GET /api/chat-sync", () => {
    it("without last_id: the newest 200, in order, and the head", async () => {
      const { body } = await sync(vera, room);
      expect(idsOf(body.new_messages)).toEqual(long.slice(-200));
      expect(body).toMatchObject({ head: long.at(-1), recovered: true, has_more: true });
    });

    it("from last_id 0: all messages, 200 at a time, oldest first", async () => {
      const seen: number[] = [];
      let page: { new_messages: { id: number }[]; has_more: boolean };
      do {
        page = (await sync(vera, room, { last_id: seen.at(-1) ?? 0 })).body;
        seen.push(...idsOf(page.new_messages));
      } while (page.has_more);
      expect(seen).toEqual(long);
    });

    it("with the head: no message", async () => {
      const { body } = await sync(vera, room, { last_id: long.at(-1) });
      expect(body).toMatchObject({ new_messages: [], recovered: true, has_more: false });
    });

    it("with a last_id beyond the head: the newest 200, not recovered", async () => {
      const { body } = await sync(vera, room, { last_id: (long.at(-1) ?? 0) + 1 });
      expect(idsOf(body.new_messages)).toEqual(long.slice(-200));
      expect(body).toMatchObject({ recovered: false, head: long.at(-1) });
    });

    it("with before_id: older messages, down to the first", async () => {
      const { body } = await sync(vera, room, { before_id: long[250] });
      expect(idsOf(body.new_messages)).toEqual(long.slice(50, 250));
      expect(body.has_more).toBe(true);
      const first = await sync(vera, room, { before_id: long[50] });
      expect(idsOf(first.body.new_messages)).toEqual(long.slice(0, 50));
      expect(first.body.has_more).toBe(false);
    });

    it("of a room without messages: empty, with the caller present", async () => {
      const { status, body } = await sync(
        vera,
        { ...room, session_token: "empty" },
        { last_id: 0 },
      );
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        online_count: 1,
        participants: [{ name: "vera", kind: "member", since_id: 0 }],
        revision: 0,
        replies: [],
        is_private: false,
        you: { name: "vera", kind: "member", is_owner: false, seen_to: 0 },
        new_messages: [],
        head: 0,
        recovered: true,
        has_more: false,
      });
    });

    it("returns the caller's own name and ownership, and whether the room is private", async () => {
      expect((await sync(vera, room)).body).toMatchObject({
        is_private: false,
        you: { name: "vera", kind: "member", is_owner: true },
      });
      const guest = (await sync(hub.guest(), room)).body;
      const { since_id, ...present } = guest.participants.at(-1);
      expect(since_id).toBe(guest.head);
      expect(guest.you).toEqual({ ...present, is_owner: false });
      const own = { ...room, session_token: "closed" };
      await say(vera, own, "Just us.", { is_private: true });
      expect((await sync(vera, own)).body).toMatchObject({ is_private: true });
    });

    it("reveals no account id and no session token", async () => {
      const { text } = await sync(vera, room);
      expect(text).not.toMatch(/account:|sender"|prev_id|token/);
    });

    it.each([
      [{ soul_id: "x" }],
      [{ soul_id: 0 }],
      [{ session_token: "" }],
      [{ last_id: -1 }],
      [{ last_id: "1.5" }],
      [{ last_id: "9007199254740993" }],
      [{ before_id: 0 }],
    ])("refuses %o", async (wrong) => {
      const { status, body } = await sync(vera, room, wrong);
      expect([status, body.error]).toEqual([400, "invalid_input"]);
      expect(body.details[0].field).toBe(Object.keys(wrong)[0]);
    });
  });

  describe("GET /api/chat", () => {
    it("returns the newest 200 in order, or up to 500 with limit", async () => {
      const { body } = await history(vera, room);
      expect(body.messages).toHaveLength(200);
      const { head } = (await sync(vera, room)).body;
      expect(body.messages.at(-1)).toEqual({
        id: head,
        created_at: expect.any(String),
        parent_id: head - 1,
        made_by: null,
        role: "assistant",
        sender_name: "vera",
        content: "line 450",
      });
      expect(body.has_more).toBe(true);
      const whole = await history(vera, room, { limit: 500 });
      expect(whole.body.messages).toHaveLength(450);
      expect(whole.body.has_more).toBe(false);
      expect((await history(vera, room, { limit: 501 })).status).toBe(400);
    });

    it("returns older messages with before_id", async () => {
      const { body } = await history(vera, room, { before_id: long[3], limit: 2 });
      expect(body.messages.map(({ content }: { content: string }) => content)[1]).toBe("line 3");
      expect(body).toMatchObject({ has_more: true, oldest_id: long[1] });
    });

    it("returns no message of a room without messages", async () => {
      const { status, body } = await history(vera, { ...room, session_token: "empty" });
      expect([status, body.messages, body.has_more]).toEqual([200, [], false]);
    });
  });

  describe("a guest", () => {
    let guest: Actor;
    beforeEach(() => {
      guest = hub.guest();
    });

    it("gets a cookie with the first answer, and stays the same participant", async () => {
      const lobby = { ...room, session_token: `guests-${Math.random()}` };
      const first = await sync(guest, lobby);
      expect(first.headers.getSetCookie()[0]).toMatch(
        /^soulhub_guest=[^;]+; .*Max-Age=31536000.*HttpOnly.*SameSite=Lax/i,
      );
      expect(first.body.participants[0]).toEqual({
        name: expect.stringMatching(/^Anonymous #[0-9a-f]{4}$/),
        since_id: 0,
        kind: "guest",
      });
      for (let n = 0; n < 3; n++) {
        const { body, headers } = await sync(guest, lobby);
        expect(body.online_count).toBe(1);
        expect(headers.getSetCookie()).toEqual([]);
      }
    });

    it("without cookies counts once, however often it polls", async () => {
      const lobby = { ...room, session_token: `guests-${Math.random()}` };
      for (let n = 0; n < 4; n++) {
        expect((await sync(hub.guest(), lobby)).body.online_count).toBe(1);
      }
      const other = await sync(hub.guest(), lobby);
      expect(other.body.online_count).toBe(1);
    });
  });
});
