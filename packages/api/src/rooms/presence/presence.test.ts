import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createActiveRooms } from "../active-rooms.ts";
import type { Participant } from "../ports/presence-store.ts";
import { fakeTime, member, pass, ROOM, settle, testRooms } from "../room.fixture.ts";
import { roomLimits } from "../room-limits.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");
const eve = member("eve");
const guest = (id: string): Participant => ({ id, name: `Anonymous #${id}`, kind: "guest" });

describe("presence", () => {
  it("counts a participant once over sockets, tabs and polls", async () => {
    const hub = testRooms();
    hub.join(ada);
    hub.join(ada);
    const reader = hub.join(bob);
    await settle();
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
    expect(reader.of("sync")).toMatchObject([{ online_count: 2 }]);
    await pass(1_000);
    expect(reader.of("presence")).toEqual([]);
  });

  it("batches the joins of 250 ms into one event", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await pass(250);
    hub.join(bob);
    await pass(100);
    hub.join(eve);
    await pass(149);
    expect(reader.of("presence")).toEqual([]);
    await pass(1);
    expect(reader.of("presence")).toEqual([
      { type: "presence", online_count: 3, joined: ["bob", "eve"], left: [] },
    ]);
  });

  it("sends each client the changes since its sync", async () => {
    const hub = testRooms();
    const readers = [];
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      readers.push(hub.join(member(name)));
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

  it("reports a leave after 3 s of grace", async () => {
    const hub = testRooms();
    const [reader, leaver] = [hub.join(ada), hub.join(bob)];
    await pass(250);
    leaver.stop();
    await pass(2_999);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
    await pass(1);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(1);
    await pass(250);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("reports another name of a participant as a leave and a join", async () => {
    const hub = testRooms();
    const [reader, former] = [hub.join(ada), hub.join(guest("ab12"))];
    await pass(250);
    former.stop();
    hub.join({ ...guest("ab12"), name: "Robin (guest)" });
    await pass(250);
    expect(reader.of("presence").slice(-1)).toEqual([
      {
        type: "presence",
        online_count: 2,
        joined: ["Robin (guest)"],
        left: ["Anonymous #ab12"],
      },
    ]);
    await pass(5_000);
    expect(reader.of("presence").at(-1)).toMatchObject({ joined: ["Robin (guest)"] });
  });

  it("reports nothing when a participant returns within the grace", async () => {
    const hub = testRooms();
    const [reader, leaver] = [hub.join(ada), hub.join(bob)];
    await pass(1_000);
    leaver.stop();
    await pass(2_900);
    hub.join(bob);
    await pass(60_000);
    expect(reader.of("presence")).toEqual([]);
    expect((await hub.rooms.poll(ROOM, ada)).present.size).toBe(2);
  });

  it("keeps a participant with another tab", async () => {
    const hub = testRooms();
    const [reader, tab] = [hub.join(ada), hub.join(bob)];
    hub.join(bob);
    await pass(1_000);
    tab.stop();
    await pass(60_000);
    expect(reader.of("presence")).toEqual([]);
  });

  it("renews the leases of open sessions", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    hub.join(bob);
    await pass(300_000);
    expect(reader.of("presence")).toEqual([]);
    expect((await hub.store.list(ROOM)).participants.size).toBe(2);
  });

  it("counts a poller for 30 s after its last call", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await pass(250);
    await hub.rooms.poll(ROOM, bob);
    await pass(20_000);
    await hub.rooms.poll(ROOM, bob);
    await pass(29_999);
    expect(reader.of("presence")).toMatchObject([{ joined: ["bob"] }]);
    await pass(251);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("drops a killed server's participants within 31 s", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await pass(250);
    const participant = bob;
    await hub.store.renew(ROOM, [{ participant, connection: "elsewhere" }], roomLimits.LEASE_MS);
    await pass(30_750);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("is the same on two servers, also after a lost hint", async () => {
    const hub = testRooms();
    const ports = { bus: hub.bus, log: hub.log, presence: hub.store };
    const other = createActiveRooms({ ...ports, nodeId: "n2", onError: () => {} });
    const reader = hub.join(ada);
    await settle();
    await other.poll(ROOM, bob);
    await pass(250);
    expect(reader.of("presence")).toMatchObject([{ online_count: 2, joined: ["bob"] }]);
    await hub.store.renew(ROOM, [{ participant: eve, connection: "c" }], roomLimits.LEASE_MS);
    await pass(10_250);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 3, joined: ["eve"] });
  });
});

describe("a guest that receives its cookie", () => {
  it("takes over its lease without a cookie", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
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

  it("gets no second lease for an open socket", async () => {
    const hub = testRooms();
    const socket = hub.join(guest("cookie"));
    await hub.rooms.poll(ROOM, guest("hmac"));
    await settle();
    await hub.rooms.adopt(ROOM, "hmac", guest("cookie"));
    socket.stop();
    await pass(3_000);
    expect((await hub.store.list(ROOM)).participants.size).toBe(0);
  });

  it("adopts nothing without an earlier lease", async () => {
    const hub = testRooms();
    await hub.rooms.adopt(ROOM, "hmac", guest("cookie"));
    expect(hub.store.rooms).toBe(0);
  });
});

it("time limits have the required order", () => {
  const { LEASE_MS, RENEW_MS, GRACE_MS, PRESENCE_BATCH_MS, RECHECK_MS, UNCHECKED_MS } = roomLimits;
  expect(LEASE_MS).toBeGreaterThanOrEqual(2 * RENEW_MS + GRACE_MS);
  expect(LEASE_MS + PRESENCE_BATCH_MS).toBeLessThanOrEqual(31_000);
  expect(RECHECK_MS + 2 * RENEW_MS).toBeLessThanOrEqual(UNCHECKED_MS);
  expect(UNCHECKED_MS).toBeLessThanOrEqual(60_000);
});
