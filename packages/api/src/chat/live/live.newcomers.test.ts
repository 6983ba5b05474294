import { beforeEach, describe, expect, inject, it } from "vitest";
import { say } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, type LiveVisitor } from "../../testing/live-visitor.ts";
import { openOutageRoom } from "../../testing/two-servers.ts";

const synced = (visitor: LiveVisitor) =>
  eventually(() => expect(visitor.endedBy ?? visitor.types).toContain("sync"));

/** A join runs no query if this server has just checked the access to the same room (0016). */
describeRoom("a join of an open room", {}, (hub, vera, room) => {
  let first: LiveVisitor;
  beforeEach(async () => {
    first = joinAs(hub, hub.guest(), room);
    await synced(first);
    return () => first.close();
  });

  /** Changes the tables directly, so that only a query sees the change. */
  const hideSoul = () =>
    hub.hub.database.db
      .updateTable("souls")
      .set({ is_public: 0 })
      .where("id", "=", room.soul_id)
      .execute();
  const refusal = async () => {
    await using late = joinAs(hub, hub.guest(), room);
    await eventually(() => expect(late.endedBy ?? late.types[0]).toBeDefined());
    return late.endedBy;
  };

  it("needs no query, until the room is closed", async () => {
    await hideSoul();
    expect(await refusal()).toBeUndefined();
    hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    expect(await refusal()).toBe("soul_not_found");
  });

  it.each([
    ["its soul is hidden", "soul_not_found", { is_public: 0 }],
    ["its soul has a gate", "nft_required", { nft_contract: "keys.near" }],
  ])("is refused at once when %s", async (_, refused, change) => {
    expect((await vera.put(`/api/soul/${room.soul_id}`, change)).status).toBe(200);
    expect(await refusal()).toBe(refused);
  });

  it.each([
    ["without messages", []],
    ["with messages", ["Good evening."]],
  ])("is refused at once when a room %s is made private", async (_, lines) => {
    for (const line of lines) await say(vera, room, line);
    expect(await refusal()).toBeUndefined();
    expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(200);
    expect(await refusal()).toBe("private_session");
  });

  it("is not admitted by an answer that was read before the room was closed", async () => {
    hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    const read = hub.hub.souls.byId;
    hub.hub.souls.byId = async (id) => {
      const soul = await read(id);
      hub.hub.souls.byId = read;
      await vera.put(`/api/soul/${room.soul_id}`, { is_public: 0 });
      return soul;
    };
    await refusal();
    expect(await refusal()).toBe("soul_not_found");
  });

  it("is told the room's owner from the first message on", async () => {
    const isOwner = async () => {
      await using tab = joinAs(hub, vera, room);
      await synced(tab);
      return tab.of("sync")[0]?.you?.is_owner;
    };
    expect(await isOwner()).toBe(false);
    await say(vera, room, "Good evening.");
    expect(await isOwner()).toBe(true);
    expect(await isOwner()).toBe(true);
  });
});

describe.runIf(inject("services").postgres && inject("services").redis)(
  "a guest who joins while the bus is down",
  () => {
    it("is refused a room that was made private on another server", {
      timeout: 60_000,
    }, async () => {
      await using outage = await openOutageRoom();
      const { two, room } = outage;
      await using first = joinAs(two, two.guest(), room);
      await synced(first);
      await outage.makePrivateDuringOutage();
      await using late = joinAs(two, two.guest(), room);
      await eventually(() => expect(late.endedBy).toBe("private_session"));
    });
  },
);
