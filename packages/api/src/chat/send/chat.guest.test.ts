import { beforeEach, expect, it } from "vitest";
import { newGuestIdentity, signGuestCookie } from "../../caller/guest-id.ts";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, sayOnPage, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, openSocket } from "../../testing/live-visitor.ts";
import { createVault } from "../../vault.ts";

/** Decisions §3 and §5: a guest owns a room through its cookie, whatever its IP address is. */
describeRoom("a guest whose first call is chat.send", {}, (hub, vera, room) => {
  let guest: Actor;

  beforeEach(async () => {
    guest = hub.guest();
    await hub.hub.database.db.deleteFrom("quota_days").execute();
  });

  it("owns the room with the cookie of the response; guests at the same address do not", async () => {
    expect((await sayOnPage(guest, room, "Between us.", { is_private: true })).status).toBe(200);
    expect(guest.cookies.size).toBe(1);
    expect((await sync(guest, room)).body.new_messages).toHaveLength(2);
    expect((await sayOnPage(guest, room, "Still me.", { is_private: true })).status).toBe(200);
    const neighbour = hub.guest();
    expect(failureOf(await sync(hub.guest(), room))).toEqual([403, "private_session"]);
    expect(failureOf(await sayOnPage(neighbour, room, "Me?"))).toEqual([403, "private_session"]);
    expect(failureOf(await sayOnPage(neighbour, room, "Me?"))).toEqual([403, "private_session"]);
  });

  it("is one guest in all calls of a batch", async () => {
    const message = { ...room, content: "Between us.", is_private: true };
    const { body } = await guest.post("/trpc/chat.send,chat.send?batch=1", {
      0: message,
      1: { ...message, session_token: `${room.session_token}-too` },
    });
    expect(body).toHaveLength(2);
    for (const token of [room.session_token, `${room.session_token}-too`]) {
      const { body } = await sync(guest, { ...room, session_token: token });
      expect(body.new_messages).toHaveLength(2);
    }
  });

  it("gets no new quota by discarding its cookie", async () => {
    for (let n = 0; n < 5; n++) {
      const { body } = await sayOnPage(hub.guest(), room, "Hello.");
      expect(body.result.data.quota.daily_remaining).toBe(4 - n);
    }
    expect(failureOf(await sayOnPage(hub.guest(), room, "Hello."))).toEqual([
      429,
      "quota_exceeded",
    ]);
    const used = await hub.hub.database.db.selectFrom("quota_days").select("used").execute();
    expect(used.map((row) => row.used)).toEqual([5, 5]);
  });

  it("is present once if it polled without a cookie before", async () => {
    await using watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.online).toBe(1));
    // This guest polls before the hub has given it a cookie.
    expect((await sync(hub.guest(), room)).body.online_count).toBe(2);
    await sayOnPage(guest, room, "Hello.");
    expect((await sync(guest, room)).body.online_count).toBe(2);
  });

  it("cannot make a room private over a socket, which cannot set a cookie", async () => {
    await using socket = openSocket(hub, guest);
    const message = { ...room, content: "Between us." };
    const requests = hub.provider.requests.length;
    await expect(
      socket.client.chat.send.mutate({ ...message, is_private: true }),
    ).rejects.toMatchObject({ data: { httpStatus: 403, error: "private_session" } });
    expect(hub.provider.requests).toHaveLength(requests);
    expect((await sync(vera, room)).body.new_messages).toEqual([]);
    expect(await socket.client.chat.send.mutate(message)).toMatchObject({ sender_name: "Orla" });
  });

  it("keeps its room when master keys are rotated, with a re-signed cookie", async () => {
    const [older, newer] = [1, 2].map((n) => ({ id: `k${n}`, key: new Uint8Array(32).fill(n) }));
    if (!older || !newer) throw new Error("unreachable");
    const before = hub.hub.vault;
    try {
      const cookie = signGuestCookie(createVault([older]), newGuestIdentity(Date.now()));
      guest.cookies.set("soulhub_guest", cookie);
      hub.hub.vault = createVault([older]);
      await sayOnPage(guest, room, "Between us.", { is_private: true });
      expect(guest.cookies.get("soulhub_guest")).toBe(cookie);
      hub.hub.vault = createVault([newer, older]);
      expect((await sync(guest, room)).body.new_messages).toHaveLength(2);
      expect(guest.cookies.get("soulhub_guest")).not.toBe(cookie);
      hub.hub.vault = createVault([newer]);
      expect((await sync(guest, room)).body.new_messages).toHaveLength(2);
    } finally {
      hub.hub.vault = before;
    }
  });
});
