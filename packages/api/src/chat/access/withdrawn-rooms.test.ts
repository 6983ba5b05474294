import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { archiveText } from "../../account-deletion/account-deletion.fixture.ts";
import { actOn, staffOf } from "../../moderation/staff.fixture.ts";
import { sweepDeletedSouls } from "../../souls/sweep-deleted-souls.ts";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { NFT } from "../../testing/gated-hub.ts";
import { joinAs } from "../../testing/live-visitor.ts";

/** A conversation belongs to the people who wrote it (0076). withdrawn-souls.test.ts has the rights. */
describeChat("a room whose soul becomes unavailable", {}, (hub) => {
  let author: Actor;
  let ben: Actor;
  let room: RoomName;
  let nth = 0;

  beforeAll(async () => {
    author = await hub.vip("orla");
    ben = await hub.vip("ben");
  });
  beforeEach(async () => {
    room = { ...(await openRoom(author)), session_token: `room-${++nth}` };
    await say(ben, room, "Is the lamp lit?");
  });

  const change = (fields: object) => author.put(`/api/soul/${room.soul_id}`, fields);
  const settings = async (by = ben) =>
    (await by.get(`/api/room?soul_id=${room.soul_id}&session_token=${room.session_token}`)).body
      .data;
  const stubs = async () =>
    (
      await sql<{ id: number }>`select id from souls where deleted_at is not null`.execute(
        hub.hub.database.db,
      )
    ).rows.length;

  it("tells its people the state and the last public title, and no newer version", async () => {
    await change({ title: "Orla the second" });
    await change({ is_public: 0 });
    await change({ title: "A secret name" });
    expect(await settings()).toMatchObject({
      soul_state: "private",
      souls: [{ title: "Orla the second", handle: "orla-the-second", latest: null }],
    });
    const { body } = await sync(ben, room, { last_id: 0, revision: 0 });
    expect(body.room).toMatchObject({ soul_state: "private", souls: [{ latest: null }] });
    const { sessions } = (await ben.get("/api/my-chats")).body;
    const mine = sessions.find((it: RoomName) => it.session_token === room.session_token);
    expect(mine.soul_title).toBe("Orla the second");
    expect(`${JSON.stringify(body)}${await archiveText(hub, ben)}`).not.toContain("A secret name");

    await change({ is_public: 1 });
    expect(await settings()).toMatchObject({
      soul_state: "available",
      souls: [{ title: "A secret name", latest: 5 }],
    });
    expect((await say(ben, room, "Good evening.")).status).toBe(200);
  });

  it("tells its author nothing new", async () => {
    await say(author, room, "Hello.");
    await change({ is_public: 0, title: "A secret name" });
    expect(await settings(author)).toMatchObject({
      soul_state: "available",
      souls: [{ title: "A secret name", latest: 2 }],
    });
  });

  it.each([
    ["private", "soul_not_found", () => change({ is_public: 0, title: "A secret name" })],
    ["gated", "nft_required", () => change({ nft_contract: NFT })],
    ["deleted", "soul_not_found", () => author.delete(`/api/soul/${room.soul_id}`)],
  ] as const)("stays open for its people when it is %s", async (state, refusal, withdraw) => {
    await using own = joinAs(hub, ben, room);
    await using strange = joinAs(hub, hub.guest(), room);
    await eventually(() => {
      for (const visitor of [own, strange]) expect(visitor.types).toContain("sync");
    });
    expect((await withdraw()).status).toBe(200);
    await eventually(() => {
      expect(strange.endedBy).toBe(refusal);
      expect(own.of("changed").at(-1)?.room).toMatchObject({
        soul_state: state,
        souls: [{ title: "Orla", latest: null }],
      });
    });
    expect(own.endedBy).toBeUndefined();
    expect(JSON.stringify(own.events)).not.toContain("A secret name");
    expect(failureOf(await say(ben, room, "Hello?"))[1]).toBe(refusal);
  });

  it("shows no handle and no pin that its author sets later", async () => {
    const own = { ...room, session_token: `of-author-${nth}` };
    await say(author, own, "Welcome.");
    await say(ben, own, "Hello.");
    await change({ is_public: 0, title: "A secret name" });
    const pin = { souls: [{ soul_id: room.soul_id, version: 2 }] };
    expect((await author.put("/api/room", { ...own, ...pin })).status).toBe(200);
    room = own;
    expect((await settings()).souls).toEqual([
      { soul_id: own.soul_id, title: "Orla", handle: "orla", version: null, latest: null },
    ]);
  });

  it("asks no chain where its people read", async () => {
    await change({ nft_contract: NFT });
    hub.hub.chain = null;
    expect((await history(ben, room)).status).toBe(200);
    expect((await ben.get("/api/my-chats")).body.unchecked_count).toBe(0);
    expect((await settings()).soul_state).toBe("gated");
  });

  it("tells a subscriber when the soul is refused, and when it is not any more", async () => {
    await change({ nft_contract: NFT });
    await using own = joinAs(hub, ben, room);
    await eventually(() => expect(own.of("sync")[0]?.room?.soul_state).toBe("gated"));
    await change({ nft_contract: null });
    await eventually(() =>
      expect(own.of("changed").at(-1)?.room).toMatchObject({ soul_state: "available" }),
    );
  });

  it("keeps only the rooms in which others wrote when the soul is deleted", async () => {
    const own = { ...room, session_token: `own-${nth}` };
    await say(author, own, "Only I am here.");
    expect((await author.delete(`/api/soul/${room.soul_id}`)).status).toBe(200);
    expect((await history(ben, room)).body.messages).toHaveLength(2);
    expect((await history(author, own)).status).toBe(404);
    for (const path of [`/api/soul/${room.soul_id}`, `/api/versions?soul_id=${room.soul_id}`]) {
      for (const who of [author, ben, hub.guest()]) expect((await who.get(path)).status).toBe(404);
    }
    expect((await author.get("/api/my-souls")).text).not.toContain(`"id":${room.soul_id},`);
    expect((await hub.guest().get("/api/profile?username=ghost")).text).not.toContain("Orla");
    const { rows } = await sql`select content, description from souls
      where id = ${room.soul_id}`.execute(hub.hub.database.db);
    expect(rows).toEqual([{ content: "", description: "" }]);
    // The last room takes the row along.
    const before = await stubs();
    const query = `soul_id=${room.soul_id}&session_token=${room.session_token}`;
    expect((await ben.delete(`/api/room?${query}`)).status).toBe(200);
    await sweepDeletedSouls(hub.hub.database.db);
    expect(await stubs()).toBe(before - 1);
  });

  it("begins no new room of a deleted soul", async () => {
    const late = { ...room, session_token: `late-${nth}` };
    const asked = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const sent = say(ben, late, "Are you still there?");
    await hub.provider.received(asked + 1);
    await author.delete(`/api/soul/${room.soul_id}`);
    release();
    expect((await sent).status).toBe(404);
    expect((await history(ben, late)).status).toBe(404);
  });

  it("ends for all when the hub's staff hide the soul, except for one's own lines", async () => {
    const cleo = await hub.vip(`cleo-${nth}`);
    await say(cleo, room, "A line of Cleo.");
    const staff = await staffOf(hub, `mona-${nth}`);
    await actOn(staff, { kind: "soul", soul_id: room.soul_id }, "hide_soul");
    expect(failureOf(await history(ben, room))).toEqual([404, "soul_not_found"]);
    const archive = await archiveText(hub, ben);
    expect(archive).toContain(room.session_token);
    expect(archive).not.toContain("A line of Cleo.");
    // The author cannot end that.
    await author.delete(`/api/soul/${room.soul_id}`);
    expect(await archiveText(hub, ben)).toContain(room.session_token);
    expect((await history(ben, room)).status).toBe(404);
  });

  it("reads as private while the soul's author is suspended", async () => {
    const staff = await staffOf(hub, `mona-${nth}`);
    const other = await hub.vip(`olaf-${nth}`);
    const theirs = { ...(await openRoom(other)), session_token: `room-${nth}` };
    await say(ben, theirs, "Hello.");
    await actOn(staff, { kind: "person", username: other.name }, "suspend");
    room = theirs;
    expect(await settings()).toMatchObject({ soul_state: "private", souls: [{ title: "Orla" }] });
    expect((await history(ben, theirs)).body.messages).toHaveLength(2);
  });
});
