import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { say, sayOnPage, signedIn, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { failureCode, joinAs, openSocket, type Visitor } from "../../testing/live-visitor.ts";

const synced = (...visitors: Visitor[]) =>
  eventually(() => {
    for (const visitor of visitors) expect(visitor.types).toContain("sync");
  });

/** Decisions §6, over real sockets with tRPC's own client. */
describeRoom("rooms.live", { owner: "ada" }, (hub, ada, room) => {
  let ben: Actor;
  let cleo: Actor;

  beforeAll(async () => {
    ben = await hub.vip("ben");
    cleo = await signedIn(hub, "cleo");
  });

  it("counts two sockets and a poller, and sends each message once to all", async () => {
    await using first = joinAs(hub, ada, room);
    await using second = joinAs(hub, cleo, room);
    await synced(first, second);
    const polled = await sync(ben, room, { last_id: 0 });
    expect(polled.body.online_count).toBe(3);
    const participants = polled.body.participants.map(({ name }: { name: string }) => name);
    expect(participants.sort()).toEqual(["ada", "ben", "cleo"]);
    await eventually(() => expect([first.online, second.online]).toEqual([3, 3]));

    await say(ben, room, "Good evening.");
    await sayOnPage(cleo, room, "Good evening, ben.");
    const { body } = await sync(ben, room, { last_id: 0 });
    const ids = body.new_messages.map(({ id }: { id: number }) => id);
    expect(ids).toHaveLength(4);
    await eventually(() => expect([first.ids, second.ids]).toEqual([ids, ids]));
    const shown = first.of("message").map(({ type: _, prev_id: __, ...message }) => message);
    expect(shown).toEqual(body.new_messages);
    expect(first.of("message").map(({ prev_id }) => prev_id)).toEqual([0, ...ids.slice(0, -1)]);
  });

  it("counts several tabs and a poller of one account once", async () => {
    await using tabs = openSocket(hub, ada);
    await using phone = joinAs(hub, ada, room);
    const [one, two] = [tabs.join(room), tabs.join(room)];
    await synced(one, two, phone);
    expect((await sync(ada, room)).body.online_count).toBe(1);
    two.leave();
    await using other = joinAs(hub, ben, room);
    await synced(other);
    expect(other.online).toBe(2);
    expect(one.of("presence").flatMap(({ left }) => left)).toEqual([]);
  });

  it("streams a reply: asked, deltas, both messages, then done", async () => {
    await using visitor = joinAs(hub, ben, room);
    await synced(visitor);
    const { body } = await say(ada, room, "Is it dark? 🦉");
    await eventually(() => expect(visitor.types).toContain("reply-done"));
    // The room's title, read from its first message, may come at any time.
    const reply = ["asked", "reply-delta", "message", "reply-done"];
    const order = visitor.types.filter((type) => reply.includes(type));
    expect(order.join(" ")).toMatch(/^asked( reply-delta)+ message message reply-done$/);
    const [asked] = visitor.of("asked");
    expect(asked).toEqual({
      type: "asked",
      reply_id: body.reply_id,
      sender_name: "ada",
      content: "Is it dark? 🦉",
      soul_id: room.soul_id,
      parent_id: null,
      regenerates: null,
    });
    let text = "";
    for (const delta of visitor.of("reply-delta")) {
      expect([delta.reply_id, delta.offset]).toEqual([body.reply_id, text.length]);
      text += delta.text;
    }
    expect(text).toBe(body.reply);
    expect(visitor.of("reply-done")).toEqual([
      { type: "reply-done", reply_id: body.reply_id, id: visitor.ids[1] },
    ]);
  });

  it("sends a late joiner the text so far, then the rest", async () => {
    await using early = joinAs(hub, ada, room);
    await synced(early);
    const goOn = hub.provider.holdNext();
    const answer = say(ada, room, "Is it dark?");
    await eventually(() => expect(early.types).toContain("reply-delta"));
    await using late = joinAs(hub, ben, room);
    await synced(late);
    const [reply] = late.of("sync")[0]?.replies ?? [];
    expect(reply).toMatchObject({ sender_name: "ada", content: "Is it dark?" });
    expect(reply?.text).toBe(early.of("reply-delta")[0]?.text);
    goOn();
    const { body } = await answer;
    await eventually(() => expect(late.types).toContain("reply-done"));
    expect(late.types).not.toContain("asked");
    let text = reply?.text ?? "";
    for (const delta of late.of("reply-delta")) {
      expect(delta.offset).toBe(text.length);
      text += delta.text;
    }
    expect(text).toBe(body.reply);
  });

  it("sends each client its name, whether it owns the room, and whether the room is private", async () => {
    const own = { ...room, session_token: `own-${Math.random()}` };
    await using early = joinAs(hub, ada, own);
    await synced(early);
    const { body } = await say(ada, own, "Mine.");
    expect(body.success).toBe(true);
    await using owner = joinAs(hub, ada, own);
    const guest = hub.guest();
    await sync(guest, own);
    await using stranger = joinAs(hub, guest, own);
    await synced(owner, stranger);
    const told = [early, owner, stranger].map((one) => {
      const [{ you, is_private } = {}] = one.of("sync");
      return { you, is_private };
    });
    const member = { name: "ada", kind: "member" };
    const label = expect.stringMatching(/^Anonymous #/);
    expect(told).toEqual([
      { you: { ...member, is_owner: false, seen_to: 0 }, is_private: false },
      { you: { ...member, is_owner: true, seen_to: body.question_id }, is_private: false },
      { you: { name: label, kind: "guest", is_owner: false }, is_private: false },
    ]);
    await say(ada, own, "Now us alone.", { is_private: true });
    await using later = joinAs(hub, ada, own);
    await synced(later);
    expect(later.of("sync")[0]?.is_private).toBe(true);
  });

  it("starts with the newest 200, after last_id, or after the cursor in lastEventId", async () => {
    for (let n = 0; n < 3; n++) await say(ada, room, `Line ${n}`);
    const { head, new_messages } = (await sync(ada, room)).body;
    const ids: number[] = new_messages.map(({ id }: { id: number }) => id);
    await using all = joinAs(hub, ben, room);
    await using rest = joinAs(hub, ben, { ...room, last_id: ids[3] as number });
    await using none = joinAs(hub, ben, { ...room, last_id: head });
    await using beyond = joinAs(hub, ben, { ...room, last_id: head + 7 });
    await synced(all, rest, none, beyond);
    expect([all.ids, rest.ids, none.ids, beyond.ids]).toEqual([ids, ids.slice(4), [], ids]);
    const recovered = [all, rest, none, beyond].map((one) => one.of("sync")[0]?.recovered);
    expect(recovered).toEqual([true, true, true, false]);
    expect(beyond.of("sync")[0]?.head).toBe(head);
    for (const { id } of all.tracked) expect(id).toMatch(/^\d+(\.\w+\.\d+)?$/);
  });

  it("announces typing to the others at most once in 2 s, and not to the typist", async () => {
    await using typist = joinAs(hub, cleo, room);
    await using reader = joinAs(hub, ben, room);
    await synced(typist, reader);
    for (let n = 0; n < 3; n++) {
      const { status, body } = await cleo.post("/trpc/rooms.typing", room);
      expect([status, body.result.data]).toEqual([200, {}]);
    }
    // A typing event sent by mistake would arrive before this message, so the checks below would
    // notice it.
    await say(ada, room, "Done?");
    await eventually(() =>
      expect([reader.ids, typist.ids]).toMatchObject([{ length: 2 }, { length: 2 }]),
    );
    expect(reader.of("typing")).toEqual([{ type: "typing", sender_name: "cleo" }]);
    expect(typist.of("typing")).toEqual([]);
  });

  it("counts a guest once before and after it gets its cookie", async () => {
    await using watcher = joinAs(hub, ada, room);
    await synced(watcher);
    const guest = hub.guest();
    expect((await sync(guest, room)).body.online_count).toBe(2);
    expect(guest.cookies.size).toBe(1);
    await using visitor = joinAs(hub, guest, room);
    await synced(visitor);
    expect(visitor.online).toBe(2);
    expect((await sync(guest, room)).body.online_count).toBe(2);
    await eventually(() => expect(watcher.of("presence")).not.toEqual([]));
    for (const { online_count } of watcher.of("presence")) expect(online_count).toBe(2);
  });

  it("serves calls over the socket, too", async () => {
    await using socket = openSocket(hub, cleo);
    const visitor = socket.join(room);
    await synced(visitor);
    const answer = await socket.client.chat.send.mutate({ ...room, content: "Hello." });
    expect(answer).toMatchObject({ sender_name: "Orla", quota: { daily_limit: 20 } });
    const synchronised = await socket.client.rooms.sync.query({ ...room, last_id: 0 });
    expect(synchronised.new_messages.map(({ id }) => id)).toEqual(visitor.ids);
    const error = await socket.client.chat.send.mutate({ ...room, content: "" }).catch(failureCode);
    expect(error).toBe("invalid_input");
  });
});
