import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { act, readCase, staffOf } from "../staff.fixture.ts";

/** A reply that a person has rewritten is that person's text (0062). */
describeChat("a rewritten reply", {}, (hub) => {
  let owner: Actor;
  let ben: Actor;
  let staff: Actor;
  let room: RoomName;
  let message_id: number;
  let number = 0;

  beforeAll(async () => {
    ben = await hub.vip("ben");
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    owner = await hub.vip(`owner-${++number}`);
    room = await openRoom(owner);
    message_id = (await say(owner, room, "Hello.")).body.message_id;
  });

  const rewrite = async () => {
    const edit = { ...room, id: message_id, content: "Ben is a thief." };
    expect((await owner.put("/api/message", edit)).status).toBe(200);
  };
  const reported = async (who: Actor, target: object) => {
    const answer = await who.post("/api/reports", { kind: "message", reason: "abuse", ...target });
    expect(answer.status).toBe(200);
    const { data } = (await staff.get("/api/mod/cases?limit=100")).body;
    return readCase(staff, data.at(-1).id);
  };

  it("is its author's, who gets the notice and is silenced", async () => {
    await rewrite();
    const { id, target, excerpt } = await reported(ben, { ...room, message_id });
    expect(target.username).toBe(owner.name);
    expect(excerpt.lines.at(-1)).toMatchObject({
      role: "assistant",
      content: "Ben is a thief.",
      edited_by: owner.name,
    });
    expect((await act(staff, id, "silence", { days: 1 })).status).toBe(200);
    expect((await owner.get("/api/notices")).body.data).toMatchObject([{ action: "silence" }]);
    expect(failureOf(await say(owner, room, "Hello."))).toEqual([403, "account_suspended"]);
  });

  it("gives its author to the case that was opened before", async () => {
    const before = await reported(ben, { ...room, message_id });
    expect(before.target.username).toBe(null);
    expect(failureOf(await act(staff, before.id, "silence", { days: 1 }))).toEqual([
      400,
      "invalid_input",
    ]);
    await rewrite();
    const after = await reported(hub.guest(), { ...room, message_id });
    expect([after.id, after.target.username]).toEqual([before.id, owner.name]);
  });

  it("is nobody's in a copy", async () => {
    await rewrite();
    const copied = await ben.post("/api/room-copy", { ...room, new_session_token: `c-${number}` });
    expect(copied.status).toBe(200);
    const copy = { ...room, session_token: `c-${number}` };
    const line = (await history(ben, copy)).body.messages.at(-1);
    expect(line.made_by.edited_by).toBe(owner.name);
    const { target } = await reported(ben, { ...copy, message_id: line.id });
    expect(target.username).toBe(null);
  });
});
