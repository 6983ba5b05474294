import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { type ChatHub, openRoom, type RoomName, say, startChatHub } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs, type LiveVisitor, liveDoors } from "../testing/live-visitor.ts";
import { startRedis } from "../testing/own-redis.ts";
import { startTwoServers } from "../testing/two-servers.ts";

const synced = (visitor: LiveVisitor) =>
  eventually(() => expect(visitor.endedBy ?? visitor.types).toContain("sync"));

/** Docs/decisions/0016: who comes to a room that was open a moment ago costs no query. */
describe.each(liveDoors())(
  "who comes to an open room (on $database, by $fanOut)",
  ({ database, fanOut }) => {
    let hub: ChatHub;
    let vera: Actor;
    let room: RoomName;
    let first: LiveVisitor;
    beforeAll(async () => {
      hub = await startChatHub({ database, fanOut });
      vera = await hub.vip("vera");
    });
    afterAll(() => hub.close());
    beforeEach(async () => {
      room = await openRoom(vera);
      first = joinAs(hub, hub.guest(), room);
      await synced(first);
      return () => first.close();
    });

    /** Behind the hub's back: whoever asks the tables hears of it. */
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

    it("asks no table for it; whoever shuts it is believed at once", async () => {
      await hideSoul();
      expect(await refusal()).toBeUndefined();
      hub.hub.rooms.recheckAll({ roomPrefix: `${room.soul_id}/` });
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
      ["that nobody had written in", []],
      ["that people talk in", ["Good evening."]],
    ])("is refused at once when a room %s is made private", async (_, lines) => {
      for (const line of lines) await say(vera, room, line);
      expect(await refusal()).toBeUndefined();
      expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(200);
      expect(await refusal()).toBe("private_session");
    });

    it("is not let in by an answer from before it was shut", async () => {
      hub.hub.rooms.recheckAll({ roomPrefix: `${room.soul_id}/` });
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

    it("is told whose it is, from the first message on", async () => {
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
  },
);

describe.runIf(inject("services").postgres && inject("services").redis)(
  "who comes while the bus is down",
  () => {
    it("is refused what was made private on another server", { timeout: 60_000 }, async () => {
      await using redis = await startRedis();
      await using servers = await startTwoServers("postgresql", redis.url);
      const { one, two } = servers;
      const vera = await one.vip("vera");
      const room = await openRoom(vera);
      await say(vera, room, "Hello.");
      await using first = joinAs(two, two.guest(), room);
      await synced(first);
      await redis.kill();
      await eventually(() => expect(two.hub.bus()).toBe("down"));
      expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(200);
      await using late = joinAs(two, two.guest(), room);
      await eventually(() => expect(late.endedBy).toBe("private_session"));
    });
  },
);
