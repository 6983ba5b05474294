import { describe, expect, inject, it } from "vitest";
import { openLink } from "../../rooms/redis/redis.fixture.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTwoServers } from "../../testing/two-servers.ts";
import { createRoomSweep } from "./room-sweep.ts";

const retain = (retainRoomsDays: number, retainGuestRoomsDays = 0) => ({
  retainRoomsDays,
  retainGuestRoomsDays,
});

const sweepOf = ({ hub }: ChatHub, config: ReturnType<typeof retain>) =>
  createRoomSweep({
    db: hub.database.db,
    rooms: hub.rooms,
    config,
    takeTurn: async () => true,
  });

/** Stores rooms that a guest began 31 days ago. */
async function addOldRooms(hub: ChatHub, count: number) {
  const { soul_id } = await openRoom(await lastingVip(hub));
  const rooms = Array.from({ length: count }, (_, n) => ({
    soul_id,
    token_hash: `hash ${n}`,
    token_sealed: "",
    owner: "guest:1",
  }));
  await hub.hub.database.db.insertInto("chat_rooms").values(rooms).execute();
  await hub.moveClock("31 days");
}

const roomsLeft = async ({ hub }: ChatHub) =>
  (await hub.database.db.selectFrom("chat_rooms").select("id").execute()).length;

/** Registers an account whose pass outlasts the moved clock. */
async function lastingVip(hub: ChatHub) {
  const vera = await hub.member("vera");
  await hub.pass(vera, "vip", { days: 365 });
  return vera;
}

const messagesLeft = async ({ hub }: ChatHub) =>
  (await hub.database.db.selectFrom("chat_messages").select("id").execute()).length;

/** Decision 0035. */
describe.each(testDatabases())("retention of rooms (on %s)", (database) => {
  it("counts from a room's last message, and deletes the whole room", async () => {
    await using hub = await startChatHub({ database });
    const vera = await lastingVip(hub);
    const old = await openRoom(vera);
    const young: RoomName = { ...old, session_token: "young" };
    await say(vera, old, "Old.");
    await say(vera, young, "Old as well.");
    await hub.moveClock("29 days");
    await say(vera, young, "Young.");
    const sweep = sweepOf(hub, retain(30));
    await sweep();
    expect(await messagesLeft(hub)).toBe(6);
    await hub.moveClock("31 days");
    await sweep();
    expect(await messagesLeft(hub)).toBe(4);
    expect((await history(vera, young)).body.messages).toHaveLength(4);
    expect((await history(vera, old)).body.messages).toEqual([]);
  });

  it("has a time of its own for rooms of guests, and keeps all rooms with 0", async () => {
    await using hub = await startChatHub({ database });
    const vera = await lastingVip(hub);
    const room = await openRoom(vera);
    const guest = hub.guest();
    const guestRoom: RoomName = { ...room, session_token: "guests" };
    await say(vera, room, "I stay.");
    expect((await sayOnPage(guest, guestRoom, "I go.")).status).toBe(200);
    await hub.moveClock("40 days");
    await sweepOf(hub, retain(0))();
    await sweepOf(hub, retain(50, 50))();
    expect(await messagesLeft(hub)).toBe(4);
    await sweepOf(hub, retain(0, 30))();
    expect(await messagesLeft(hub)).toBe(2);
    expect((await history(vera, room)).body.messages).toHaveLength(2);
  });

  it("deletes at most 1,000 rooms at once, and all of them in the end", async () => {
    await using hub = await startChatHub({ database });
    await addOldRooms(hub, 1_200);
    const sweep = sweepOf(hub, retain(30));
    await sweep();
    expect(await roomsLeft(hub)).toBe(200);
    await sweep();
    expect(await roomsLeft(hub)).toBe(0);
  });

  it("tells the listeners of a deleted room; a client that returns finds it empty", async () => {
    await using hub = await startChatHub({ database });
    const vera = await lastingVip(hub);
    const room = await openRoom(vera);
    await say(vera, room, "Old.");
    const { head } = (await sync(vera, room)).body;
    await using first = joinAs(hub, vera, room);
    await eventually(() => expect(first.ids).toHaveLength(2));
    await hub.moveClock("31 days");
    await sweepOf(hub, retain(30))();
    await eventually(() =>
      expect(first.of("sync")[1]).toMatchObject({ recovered: false, head: 0 }),
    );

    const returning = { ...room, last_id: head };
    await using second = joinAs(hub, vera, returning);
    await eventually(() =>
      expect(second.of("sync")).toMatchObject([{ recovered: false, head: 0 }]),
    );
    const empty = { recovered: false, head: 0, new_messages: [] };
    expect((await sync(vera, room, { last_id: head })).body).toMatchObject(empty);
    await say(vera, room, "New.");
    await eventually(() => expect(second.of("message")).toHaveLength(2));
    expect(second.of("message")[0]).toMatchObject({ prev_id: 0, content: "New." });
    expect((await sync(vera, room)).body.new_messages).toHaveLength(2);
  });

  it.skipIf(!inject("services").redis)("is shared by the servers of a hub", async () => {
    await using servers = await startTwoServers(database, undefined, retain(30));
    const { one } = servers;
    await addOldRooms(one, 1_200);
    // A server sweeps when it starts. Its close waits for that.
    const sweepOnStart = async () => (await servers.startOne()).close();
    await sweepOnStart();
    expect(await roomsLeft(one)).toBe(1_200);
    const link = await openLink();
    await link.run((client) => client.del(`soulhub:${one.hub.database.id}:room-sweep`));
    await link.close();
    await sweepOnStart();
    expect(await roomsLeft(one)).toBe(200);
  });

  it.skipIf(!inject("services").redis)("reaches the subscriptions of another server", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const vera = await lastingVip(one);
    const room = await openRoom(vera);
    await say(vera, room, "Old.");
    await using visitor = joinAs(two, vera, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    await one.moveClock("31 days");
    await sweepOf(one, retain(30))();
    await eventually(() =>
      expect(visitor.of("sync")).toMatchObject([{}, { recovered: false, head: 0 }]),
    );
  });
});
