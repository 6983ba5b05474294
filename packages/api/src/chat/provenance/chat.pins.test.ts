import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, openRoom, type RoomName, remaining, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";

/** 0038: a room answers from the version that its owner has pinned. */
describeChat("a pinned version", {}, (hub) => {
  let author: Actor;
  let owner: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    author = await hub.vip("orla");
    owner = await hub.vip("vera");
  });
  /** A room of a soul with the versions 1 to 4, whose texts are `I am number 1.` and so on. */
  beforeEach(async () => {
    room = await openRoom(author, { content: "I am number 1.", title: "One" });
    room = { ...room, session_token: `room-${++rooms}` };
    await say(owner, room, "Hello.");
    for (const [n, title] of ["Two", "Three", "Four"].entries()) {
      await put({ content: `I am number ${n + 2}.`, title });
    }
  });
  const put = (fields: object) => author.put(`/api/soul/${room.soul_id}`, fields);
  const pin = (version: number | null, who = owner) =>
    who.put("/api/room", { ...room, souls: [{ soul_id: room.soul_id, version }] });
  const hide = (number: number) =>
    author.put("/api/version", { soul_id: room.soul_id, number, is_hidden: true });
  const ask = (who: Actor, more: object = {}) => say(who, room, "Who are you?", more);
  const lastSystem = () => hub.provider.requests.at(-1)?.system;

  it("answers until the room follows the soul again", async () => {
    const pinned = await pin(2);
    expect(pinned.body.room.souls).toMatchObject([{ version: 2, latest: 4 }]);
    const { body } = await ask(owner);
    expect(body).toMatchObject({ sender_name: "Four", made_by: { version: 2 } });
    expect(lastSystem()).toContain("Title: Two\n\nI am number 2.");
    await put({ content: "I am number 5." });
    expect((await ask(author)).body.made_by.version).toBe(2);
    expect((await pin(4)).status).toBe(200);
    expect((await ask(owner)).body.made_by.version).toBe(4);
    expect((await pin(null)).status).toBe(200);
    expect((await ask(owner)).body.made_by.version).toBe(5);
    expect(lastSystem()).toContain("I am number 5.");
  });

  it("is withdrawn if its author hides it, for all but the author", async () => {
    await pin(2);
    const left = await remaining(owner);
    expect((await hide(2)).status).toBe(200);
    expect(failureOf(await ask(owner))).toEqual([409, "version_withdrawn"]);
    expect(await remaining(owner)).toBe(left);
    const { body } = await ask(author);
    expect(body.made_by.version).toBe(2);
    expect((await pin(3)).status).toBe(200);
    expect((await ask(owner)).body.made_by.version).toBe(3);
  });

  it("still asks for the soul's present visibility", async () => {
    await pin(2);
    await put({ is_public: 0 });
    expect(failureOf(await ask(owner))).toEqual([404, "soul_not_found"]);
    expect((await ask(author)).body.made_by.version).toBe(2);
  });

  describe("of one reply", () => {
    it("is used once, in place of the room's", async () => {
      await pin(2);
      expect((await ask(owner, { version: 3 })).body.made_by.version).toBe(3);
      expect(lastSystem()).toContain("I am number 3.");
      expect((await ask(owner, { version: 4 })).body.made_by.version).toBe(4);
      expect((await ask(owner)).body.made_by.version).toBe(2);
      const { body } = await ask(owner);
      const again = await say(owner, room, "", { regenerate: body.question_id, version: 1 });
      expect(again.body.made_by.version).toBe(1);
    });

    it("must be one that the caller may read", async () => {
      await hide(2);
      await put({ is_public: 0 });
      await put({ is_public: 1 });
      // Version 5 was private, and the others do not exist.
      for (const version of [2, 5, 7, 2 ** 31, 2 ** 53 - 1]) {
        expect(failureOf(await ask(owner, { version }))).toEqual([404, "version_not_found"]);
      }
      expect((await ask(author, { version: 2 })).body.made_by.version).toBe(2);
      expect((await ask(author, { version: 5 })).body.made_by.version).toBe(5);
      expect(failureOf(await ask(author, { version: 7 }))).toEqual([404, "version_not_found"]);
    });
  });
});
