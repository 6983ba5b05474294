import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createActiveRooms } from "./active-rooms.ts";
import type { Participant } from "./presence-store.ts";
import { fakeTime, member, pass, ROOM, settle, testRooms } from "./room.fixture.ts";
import { roomLimits } from "./room-limits.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");
const eve = member("eve");
const guest = (id: string): Participant => ({ id, name: `Anonymous #${id}`, kind: "guest" });

describe("presence", () => {
  it("counts a participant once over sockets, tabs and polls", async () => {
    const hub = testRooms();
    hub.enter(ada);
    hub.enter(ada);
    const reader = hub.enter(bob);
    await settle();
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
    expect(reader.of("sync")).toMatchObject([{ online_count: 2 }]);
    await pass(1_000);
    expect(reader.of("presence")).toEqual([]);
  });

  it("gathers joins of 250 ms into one event", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    await pass(250);
    hub.enter(bob);
    await pass(100);
    hub.enter(eve);
    await pass(149);
    expect(reader.of("presence")).toEqual([]);
    await pass(1);
    expect(reader.of("presence")).toEqual([
      { type: "presence", online_count: 3, joined: ["bob", "eve"], left: [] },
    ]);
  });

  it("tells everybody exactly what leads from their sync to now", async () => {
    const hub = testRooms();
    const readers = [];
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      readers.push(hub.enter(member(name)));
      await pass(100);
    }
    readers[1]?.stop();
    await pass(4_000);
    for (const [index, reader] of readers.entries()) {
      if (index === 1) continue;
      const names = new Set(reader.of("sync")[0]?.participants.map(({ name }) => name));
      for (const { joined, left, online_count } of reader.of("presence")) {
        for (const name of left) expect(names.delete(name)).toBe(true);
        for (const name of joined) expect(names.has(name)).toBe(false);
        for (const name of joined) names.add(name);
        expect(names.size).toBe(online_count);
      }
      expect([...names].sort()).toEqual(["a", "c", "d", "e", "f"]);
    }
  });

  it("counts out who left after 3 s of grace", async () => {
    const hub = testRooms();
    const [reader, leaver] = [hub.enter(ada), hub.enter(bob)];
    await pass(250);
    leaver.stop();
    await pass(2_999);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
    await pass(1);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(1);
    await pass(250);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("notices nothing when somebody is back within the grace", async () => {
    const hub = testRooms();
    const [reader, leaver] = [hub.enter(ada), hub.enter(bob)];
    await pass(1_000);
    leaver.stop();
    await pass(2_900);
    hub.enter(bob);
    await pass(60_000);
    expect(reader.of("presence")).toEqual([]);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
  });

  it("keeps who has another tab open", async () => {
    const hub = testRooms();
    const [reader, tab] = [hub.enter(ada), hub.enter(bob)];
    hub.enter(bob);
    await pass(1_000);
    tab.stop();
    await pass(60_000);
    expect(reader.of("presence")).toEqual([]);
  });

  it("renews the leases of the living for as long as they live", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    hub.enter(bob);
    await pass(300_000);
    expect(reader.of("presence")).toEqual([]);
    expect((await hub.store.list(ROOM)).participants.size).toBe(2);
  });

  it("counts a poller for 30 s after its last call", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    await pass(250);
    await hub.rooms.poll(ROOM, bob);
    await pass(20_000);
    await hub.rooms.poll(ROOM, bob);
    await pass(29_999);
    expect(reader.of("presence")).toMatchObject([{ joined: ["bob"] }]);
    await pass(251);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("drops a killed server's people within 31 s", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    await pass(250);
    const participant = bob;
    await hub.store.renew(ROOM, [{ participant, connection: "elsewhere" }], roomLimits.LEASE_MS);
    await pass(30_750);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("is one over two servers, also when a hint is lost", async () => {
    const hub = testRooms();
    const ports = { bus: hub.bus, log: hub.log, presence: hub.store };
    const other = createActiveRooms({ ...ports, nodeId: "n2", onError: () => {} });
    const reader = hub.enter(ada);
    await settle();
    await other.poll(ROOM, bob);
    await pass(250);
    expect(reader.of("presence")).toMatchObject([{ online_count: 2, joined: ["bob"] }]);
    await hub.store.renew(ROOM, [{ participant: eve, connection: "c" }], roomLimits.LEASE_MS);
    await pass(10_250);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 3, joined: ["eve"] });
  });
});

describe("a guest that gets its cookie", () => {
  it("takes over the lease of its cookie-less beginning", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    await hub.rooms.poll(ROOM, guest("hmac"));
    await pass(250);
    await hub.rooms.adopt(ROOM, "hmac", guest("cookie"));
    expect(await hub.rooms.poll(ROOM, guest("cookie"))).toMatchObject({ present: { size: 2 } });
    await pass(250);
    expect(reader.of("presence").at(-1)).toEqual({
      type: "presence",
      online_count: 2,
      joined: ["Anonymous #cookie"],
      left: ["Anonymous #hmac"],
    });
  });

  it("does not give an open socket a lease twice", async () => {
    const hub = testRooms();
    const socket = hub.enter(guest("cookie"));
    await hub.rooms.poll(ROOM, guest("hmac"));
    await settle();
    await hub.rooms.adopt(ROOM, "hmac", guest("cookie"));
    socket.stop();
    await pass(3_000);
    expect((await hub.store.list(ROOM)).participants.size).toBe(0);
  });

  it("adopts nothing where nothing was", async () => {
    const hub = testRooms();
    await hub.rooms.adopt(ROOM, "hmac", guest("cookie"));
    expect(hub.store.rooms).toBe(0);
  });
});

it("keeps the time limits in their relation", () => {
  const { LEASE_MS, RENEW_MS, GRACE_MS, GATHER_MS, RECHECK_MS } = roomLimits;
  expect(LEASE_MS).toBeGreaterThanOrEqual(2 * RENEW_MS + GRACE_MS);
  expect(LEASE_MS + GATHER_MS).toBeLessThanOrEqual(31_000);
  expect(RECHECK_MS + RENEW_MS).toBeLessThanOrEqual(60_000);
});
