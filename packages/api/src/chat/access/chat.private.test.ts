import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

/** Only its owner can enter a private room, permanently and on every transport (decisions §5). */
describeChat("a private room", {}, (hub) => {
  let owner: Actor;
  let other: Actor;
  let page: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    [owner, other] = [await hub.vip("olga"), await hub.vip("otto")];
    page = await signedIn(hub, "paul");
    room = await openRoom(other);
  });
  beforeEach(() => {
    room = { ...room, session_token: `room-${++rooms}` };
  });

  it("admits only its owner, on every transport", async () => {
    await say(owner, room, "Between us.", { is_private: true });
    expect((await history(owner, room)).body.messages).toHaveLength(2);
    expect((await sync(owner, room)).body.new_messages).toHaveLength(2);
    const input = encodeURIComponent(JSON.stringify(room));
    for (const stranger of [other, hub.guest(), page]) {
      const answers = await Promise.all([
        sync(stranger, room),
        stranger.get(`/trpc/rooms.sync?input=${input}`),
        stranger.post("/trpc/rooms.typing", room),
        ...(stranger === other
          ? [say(other, room, "Hi."), history(other, room), sayOnPage(other, room, "Hi.")]
          : [sayOnPage(stranger, room, "Hi."), stranger.get(`/trpc/chat.history?input=${input}`)]),
      ]);
      for (const { status, body } of answers) {
        expect([status, body.error?.data?.error ?? body.error]).toEqual([403, "private_session"]);
        expect(JSON.stringify(body)).not.toContain("Between us");
      }
      await using visitor = joinAs(hub, stranger, room);
      await eventually(() => expect(visitor.endedBy).toBe("private_session"));
      expect(visitor.events).toEqual([]);
    }
    await using visitor = joinAs(hub, owner, room);
    await eventually(() => expect(visitor.ids).toHaveLength(2));
  });

  it("refuses the owner of the soul", async () => {
    await say(owner, room, "Not even you.", { is_private: true });
    const { status, body } = await sync(other, room);
    expect([status, body.error]).toEqual([403, "private_session"]);
  });

  it("stays private after a message with is_private false", async () => {
    await say(owner, room, "Between us.", { is_private: true });
    expect((await say(owner, room, "Still.", { is_private: false })).status).toBe(200);
    expect((await sync(other, room)).body.error).toBe("private_session");
  });

  it("hides earlier messages of a public room that its owner turns private", async () => {
    await say(owner, room, "Come in.");
    expect((await sync(other, room)).body.new_messages).toHaveLength(2);
    await say(owner, room, "Out, everybody.", { is_private: true });
    expect((await sync(other, room)).body.error).toBe("private_session");
  });

  it("refuses a private message of a participant that is not the owner", async () => {
    await say(owner, room, "Come in.");
    const [asked, left] = [hub.provider.requests.length, await remaining(other)];
    const { status, body } = await say(other, room, "A secret.", { is_private: true });
    expect([status, body.error]).toEqual([403, "private_session"]);
    expect(hub.provider.requests.length).toBe(asked);
    expect(await remaining(other)).toBe(left);
    expect((await history(owner, room)).body.messages).toHaveLength(2);
    expect((await say(other, room, "In the open then.")).status).toBe(200);
  });

  it("turns private when the message is accepted, even if the call then fails", async () => {
    await say(owner, room, "Come in.");
    hub.provider.failNext({ status: 400 });
    const { body } = await say(owner, room, "Out.", { is_private: true });
    expect(body.error).toBe("provider_failed");
    expect((await sync(other, room)).body.error).toBe("private_session");
    expect((await history(owner, room)).body.messages).toHaveLength(2);
  });

  it("has an owner before the first reply is stored", async () => {
    hub.provider.failNext({ status: 400 });
    await say(owner, room, "Just us.", { is_private: true });
    expect((await sync(other, room)).body.error).toBe("private_session");
    expect((await history(owner, room)).body.messages).toEqual([]);
  });

  it("stays public if the message is refused", async () => {
    for (const refused of [{ content: "" }, { content: "x".repeat(9_000) }, { image: "no" }]) {
      const { status } = await say(owner, room, "Just us.", { is_private: true, ...refused });
      expect(status).toBe(400);
    }
    expect((await sync(other, room)).status).toBe(200);
  });

  it("gets one owner when two accounts claim it at once", async () => {
    const answers = await Promise.all(
      [owner, other].map((who) => say(who, room, "Mine.", { is_private: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const winner = answers[0]?.status === 200 ? owner : other;
    expect((await history(winner, room)).body.messages).toHaveLength(2);
  });

  it("drops a reply that a stranger asked for while the room was public", async () => {
    await say(owner, room, "Come in.");
    await using stranger = joinAs(hub, page, room);
    // A client that joins later gets the reply's first piece with `sync`.
    await eventually(() => expect(stranger.types).toContain("sync"));
    const goOn = hub.provider.holdNext();
    const left = await remaining(page);
    const pending = sayOnPage(page, room, "What about me?");
    await eventually(() => expect(stranger.types).toContain("reply-delta"));
    await say(owner, room, "Out.", { is_private: true });
    await eventually(() => expect(stranger.endedBy).toBe("private_session"));
    goOn();
    const { status, body } = await pending;
    expect([status, body.error.data.error]).toEqual([403, "private_session"]);
    expect(JSON.stringify((await history(owner, room)).body)).not.toContain("What about me?");
    expect(await remaining(page)).toBe(left);
  });

  it("refuses a stranger's question that was queued while the room was public", async () => {
    await say(owner, room, "Come in.");
    // An account runs 8 model calls at a time, so the ninth call waits.
    const elsewhere = { ...room, session_token: `elsewhere-${rooms}` };
    const asked = hub.provider.requests.length;
    const goOn = Array.from({ length: 8 }, () => hub.provider.holdNext());
    const held = goOn.map(() => say(other, elsewhere, "Slowly, please."));
    await hub.provider.received(asked + 8);
    const ninth = other.post(
      "/api/chat",
      { ...room, content: "What was said?" },
      { accept: "text/event-stream" },
    );
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(1));
    await say(owner, room, "The key is under the stone.", { is_private: true });
    for (const release of goOn) release();
    const { status, text } = await ninth;
    expect(status).toBe(403);
    expect(text).toContain("private_session");
    for (const { status } of await Promise.all(held)) expect(status).toBe(200);
    const told = hub.provider.requests.filter(
      ({ messages }) => messages.at(-1)?.content === "[otto] What was said?",
    );
    expect(told).toEqual([]);
  });

  it("does not turn private if the quota is used up", async () => {
    const guest = hub.guest();
    await guest.get("/api/chat-quota");
    for (let n = 0; n < 5; n++) await sayOnPage(guest, room, "Hello.");
    const own = { ...room, session_token: `own-${rooms}` };
    const { status } = await sayOnPage(guest, own, "Mine.", { is_private: true });
    expect(status).toBe(429);
    expect((await sync(other, own)).status).toBe(200);
    expect((await say(other, own, "Free.", { is_private: true })).status).toBe(200);
  });
});
