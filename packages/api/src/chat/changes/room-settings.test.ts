import { beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

describeChat("the settings of a room", {}, (hub) => {
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;
  let names = 0;

  beforeEach(async () => {
    names += 1;
    vera = await hub.vip(`vera-${names}`);
    ben = await hub.vip(`ben-${names}`);
    room = await openRoom(vera);
  });

  const read = async (actor = vera) =>
    (await actor.get(`/api/room?soul_id=${room.soul_id}&session_token=${room.session_token}`)).body;
  const set = (settings: object, actor = vera) => actor.put("/api/room", { ...room, ...settings });
  const outcome = async (settings: object) => failureOf(await set(settings));

  it("have defaults before the first message, for everybody who may enter", async () => {
    const { data } = await read(hub.guest());
    expect(data).toEqual({
      revision: 0,
      title: "",
      active_id: null,
      answers: "always",
      talk: "anyone",
      soul_state: "available",
      souls: [{ soul_id: room.soul_id, title: "Orla", handle: "orla", version: null, latest: 1 }],
      is_private: false,
      is_owner: false,
      is_muted: false,
      muted_until: null,
    });
    expect(await outcome({ title: "Mine" })).toEqual([403, "not_owner"]);
  });

  it("have the beginning of the first message as their title", async () => {
    await say(vera, room, `  Is it\n dark?  ${"x".repeat(60)}`);
    const { data } = await read();
    expect(data).toMatchObject({ title: `Is it dark? ${"x".repeat(48)}`, is_owner: true });
    const { body } = await sync(vera, room, { last_id: 0 });
    const [question, reply] = body.new_messages;
    await vera.put("/api/message", { ...room, id: question.id, content: "Is it bright?" });
    expect((await read()).data).toMatchObject({ title: "Is it bright?" });
    await vera.delete(`/api/message?soul_id=${room.soul_id}&session_token=lobby&id=${question.id}`);
    expect((await read()).data.title).toBe(reply.content.slice(0, 60));
  });

  describe("reach live and polling clients without a revision", () => {
    it("if the first message gives the room its title", async () => {
      await using watcher = joinAs(hub, ben, room);
      await eventually(() => expect(watcher.of("sync")).toMatchObject([{ room: { title: "" } }]));
      await say(vera, room, "Is it dark?");
      await eventually(() =>
        expect(watcher.of("changed")).toMatchObject([
          { revision: 0, prev_revision: 0, room: { title: "Is it dark?" } },
        ]),
      );
    });

    it.each([
      ["private", (id: number) => ben.put(`/api/soul/${id}`, { title: "Secret", is_public: 0 })],
      ["gated", (id: number) => ben.put(`/api/soul/${id}`, { nft_contract: "pass.near" })],
      ["deleted", (id: number) => ben.delete(`/api/soul/${id}`)],
    ])("if a soul has a later version, or a guest is %s", async (_, withdraw) => {
      await say(vera, room, "Hello.");
      const { soul_id } = await openRoom(ben, { title: "Guest" });
      await set({ souls: [{ soul_id: room.soul_id }, { soul_id }] });
      await using watcher = joinAs(hub, ben, room);
      await eventually(() => expect(watcher.types).toContain("sync"));
      const souls = () =>
        watcher
          .of("changed")
          .at(-1)
          ?.room?.souls.map((soul) => soul.latest);
      await vera.put(`/api/soul/${room.soul_id}`, { title: "Orla II" });
      await eventually(() => expect(souls()).toEqual([2, 1]));
      expect((await withdraw(soul_id)).status).toBe(200);
      await eventually(() => expect(souls()).toEqual([2]));
      const { body } = await sync(vera, room, { last_id: 0, revision: 1 });
      expect(body.room.souls).toHaveLength(1);
      expect(JSON.stringify([watcher.events, (await read()).data])).not.toContain("Secret");
    });
  });

  it("are set by the owner, each alone or together", async () => {
    await say(vera, room, "Hello.");
    const { body } = await set({ title: "  Nights ", answers: "addressed", talk: "members" });
    expect(body).toEqual({
      success: true,
      room: {
        ...(await read()).data,
        revision: 1,
        title: "Nights",
        answers: "addressed",
        talk: "members",
      },
    });
    expect(failureOf(await set({ title: "Ben's" }, ben))).toEqual([403, "not_owner"]);
    expect((await set({ title: null })).body.room).toMatchObject({ revision: 2, title: "Hello." });
    expect((await set({ talk: "members" })).body.room.revision).toBe(2);
  });

  it.each([
    ["a title of 81 characters", { title: "🌍".repeat(81) }],
    ["a blank title", { title: " " }],
    ["an unknown mode", { answers: "never" }],
    ["no field", { expected_revision: 0 }],
    ["souls without the room's own", { souls: [] }],
    ["the id 0", { active_id: 0 }],
  ])("refuse %s", async (_, settings) => {
    await say(vera, room, "Hello.");
    expect(await outcome(settings)).toEqual([400, "invalid_input"]);
  });

  it("accept a title of 80 characters, white space around it not counted", async () => {
    await say(vera, room, "Hello.");
    const title = "🌍".repeat(80);
    expect((await set({ title: ` ${title} ` })).body.room.title).toBe(title);
  });

  it("change only at the expected revision", async () => {
    await say(vera, room, "Hello.");
    expect((await set({ title: "A", expected_revision: 0 })).body.room.revision).toBe(1);
    expect(await outcome({ title: "A", expected_revision: 0 })).toEqual([409, "room_changed"]);
    expect((await read()).data.title).toBe("A");
  });

  it("move the path to a message of the room", async () => {
    const { body } = await say(vera, room, "Hello.");
    await say(vera, room, "And?");
    expect((await set({ active_id: body.message_id })).body.room).toMatchObject({
      revision: 1,
      active_id: body.message_id,
    });
    const other = await openRoom(vera);
    const elsewhere = (await say(vera, other, "Hi.")).body.message_id;
    expect(await outcome({ active_id: elsewhere, title: "No" })).toEqual([
      404,
      "message_not_found",
    ]);
    expect((await read()).data).toMatchObject({ revision: 1, title: "Hello." });
    await say(vera, room, "Instead.");
    const { data } = await read();
    expect(data).toMatchObject({ active_id: null, revision: 2 });
  });

  describe("name the room's souls", () => {
    it("with a version that the owner may read, and tell of a later one", async () => {
      await say(vera, room, "Hello.");
      await vera.put(`/api/soul/${room.soul_id}`, { title: "Orla II" });
      const pinned = (await set({ souls: [{ soul_id: room.soul_id, version: 1 }] })).body.room;
      expect(pinned.souls).toEqual([
        { soul_id: room.soul_id, title: "Orla II", handle: "orla-ii", version: 1, latest: 2 },
      ]);
      expect(await outcome({ souls: [{ soul_id: room.soul_id, version: 3 }] })).toEqual([
        404,
        "version_not_found",
      ]);
      const following = (await set({ souls: [{ soul_id: room.soul_id }] })).body.room;
      expect(following.souls).toMatchObject([{ version: null, latest: 2 }]);
    });

    it("without a version that its author hides from the owner", async () => {
      await vera.put(`/api/soul/${room.soul_id}`, { title: "Orla II" });
      await vera.put("/api/version", { soul_id: room.soul_id, number: 1, is_hidden: true });
      const theirs = { ...room, session_token: "ben" };
      await say(ben, theirs, "Hello.");
      const souls = [{ soul_id: room.soul_id, version: 1 }];
      expect(failureOf(await ben.put("/api/room", { ...theirs, souls }))).toEqual([
        404,
        "version_not_found",
      ]);
      await say(vera, room, "Hello.");
      expect((await set({ souls })).status).toBe(200);
    });

    it("with public guests, the room's own soul first and each handle once", async () => {
      await say(vera, room, "Hello.");
      const { soul_id: twin } = await openRoom(ben);
      const { soul_id: hidden } = await openRoom(vera, { is_public: 0 });
      const { body } = await set({
        souls: [{ soul_id: twin, version: 1 }, { soul_id: room.soul_id }],
      });
      expect(body.room.souls).toMatchObject([
        { soul_id: room.soul_id, handle: "orla", version: null },
        { soul_id: twin, handle: "orla-2", version: 1 },
      ]);
      const withGuest = (soul_id: number) =>
        outcome({ souls: [{ soul_id: room.soul_id }, { soul_id }] });
      expect(await withGuest(hidden)).toEqual([400, "soul_not_eligible"]);
      expect(await withGuest(9_999_999)).toEqual([404, "soul_not_found"]);
      expect(await withGuest(room.soul_id)).toEqual([400, "invalid_input"]);
      const five = [room.soul_id, 1, 2, 3, 4].map((soul_id) => ({ soul_id }));
      expect(await outcome({ souls: five })).toEqual([409, "limit_reached"]);
    });
  });
});
