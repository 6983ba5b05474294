import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { Lease, Participant, PresenceStore } from "../ports/presence-store.ts";
import { pollConnection } from "../ports/presence-store.ts";
import { keysOf, openLink, ownPrefix } from "../redis/redis.fixture.ts";
import { redisPresenceStore } from "../redis/redis-presence-store.ts";
import { memoryPresenceStore } from "./memory-presence-store.ts";

interface Stores extends AsyncDisposable {
  here: PresenceStore;
  /** The presence store of a second server. */
  there: PresenceStore;
  /** Returns the entries that the store still holds after all leases have expired. */
  remains(): Promise<unknown[]>;
}

const now = () => performance.now();

async function inOneProcess(): Promise<Stores> {
  const store = memoryPresenceStore(now);
  return {
    here: store,
    there: store,
    remains: async () => Array.from({ length: store.rooms }),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function overRedis(): Promise<Stores> {
  const prefix = ownPrefix();
  const [one, two] = await Promise.all([openLink(), openLink()]);
  const store = (link: typeof one) => redisPresenceStore({ link, prefix, now, settleMs: 0 });
  return {
    here: store(one),
    there: store(two),
    remains: async () => [...(await keysOf(one, prefix)).keys()],
    [Symbol.asyncDispose]: async () => void (await Promise.all([one.close(), two.close()])),
  };
}

const kinds: [string, () => Promise<Stores>][] = [["in one process", inOneProcess]];
if (inject("services").redis) kinds.push(["in Redis", overRedis]);

const ROOM = "7/lobby";
const LEASE_MS = 30_000;
const GRACE_MS = 3_000;
/** A lease time that is short enough for a test to await its expiry. */
const BRIEF_MS = 200;

const ada: Participant = { id: "account:1", name: "ada", kind: "member" };
const ben: Participant = { id: "account:2", name: "Ben Ü 🦉", kind: "member" };
const guest = (id: string): Participant => ({
  id: `guest:${id}`,
  name: `Anonymous #${id}`,
  kind: "guest",
});
const lease = (participant: Participant, connection = "n1/1"): Lease => ({
  participant,
  connection,
});
const poll = (participant: Participant) => lease(participant, pollConnection(participant.id));

const namesIn = async (store: PresenceStore, room = ROOM) =>
  [...(await store.list(room)).participants.values()].map(({ name }) => name).sort();
const leftOf = async (store: PresenceStore) => (await store.list(ROOM)).nextExpiryMs ?? 0;

describe.concurrent.each(kinds)("presence %s", (_, open) => {
  it("lists every participant with a lease once, on every server", async () => {
    await using stores = await open();
    const { here, there } = stores;
    expect(await here.list(ROOM)).toEqual({ participants: new Map(), nextExpiryMs: undefined });
    await here.renew(ROOM, [lease(ada), lease(ada, "n1/2"), poll(ada)], LEASE_MS);
    await there.renew(ROOM, [lease(ben), poll(ada)], LEASE_MS);
    await there.renew("7/other", [lease(guest("x"))], LEASE_MS);
    const both = new Map([
      [ada.id, ada],
      [ben.id, ben],
    ]);
    expect((await here.list(ROOM)).participants).toEqual(both);
    expect((await there.list(ROOM)).participants).toEqual(both);
    expect(await leftOf(here)).toBeLessThanOrEqual(LEASE_MS);
    expect(await leftOf(here)).toBeGreaterThan(LEASE_MS / 2);
  });

  it("reports a new participant, on any connection and server", async () => {
    await using stores = await open();
    const { here, there } = stores;
    expect(await here.renew(ROOM, [lease(ada)], LEASE_MS)).toBe(true);
    expect(await here.renew(ROOM, [lease(ada)], LEASE_MS)).toBe(false);
    expect(await there.renew(ROOM, [poll(ada)], LEASE_MS)).toBe(false);
    expect(await there.renew(ROOM, [lease(ada, "n2/1"), lease(ben, "n2/2")], LEASE_MS)).toBe(true);
    expect(await here.renew(ROOM, [], LEASE_MS)).toBe(false);
  });

  it("counts a lease until it expires, then drops the room", async () => {
    await using stores = await open();
    const { here, there, remains } = stores;
    await here.renew(ROOM, [lease(ada)], BRIEF_MS);
    expect(await namesIn(there)).toEqual(["ada"]);
    await eventually(async () => expect(await namesIn(there)).toEqual([]));
    expect(await here.list(ROOM)).toEqual({ participants: new Map(), nextExpiryMs: undefined });
    await eventually(async () => expect(await remains()).toEqual([]));
    expect(await here.renew(ROOM, [lease(ada)], LEASE_MS)).toBe(true);
  });

  it("reports when the first participant may expire", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [lease(ada)], LEASE_MS);
    await here.renew(ROOM, [lease(ben)], 2 * LEASE_MS);
    expect(await leftOf(there)).toBeLessThanOrEqual(LEASE_MS);
    // A second connection of the same participant has a longer lease.
    await there.renew(ROOM, [lease(ada, "n2/1")], 3 * LEASE_MS);
    expect(await leftOf(there)).toBeGreaterThan(LEASE_MS);
  });

  it("shortens a released lease to the grace, and no other", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [lease(ada), lease(ben)], LEASE_MS);
    await here.release(ROOM, lease(ada), GRACE_MS);
    expect(await namesIn(there)).toEqual([ben.name, "ada"].sort());
    expect(await leftOf(there)).toBeLessThanOrEqual(GRACE_MS);
    await here.release(ROOM, lease(ada), 0);
    expect(await namesIn(there)).toEqual([ben.name]);
    expect(await leftOf(there)).toBeGreaterThan(LEASE_MS / 2);
  });

  it("keeps a participant that returns within the grace, or has another tab", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [lease(ada)], LEASE_MS);
    await here.release(ROOM, lease(ada), BRIEF_MS);
    expect(await there.renew(ROOM, [lease(ada, "n2/1")], LEASE_MS)).toBe(false);
    expect(await leftOf(here)).toBeGreaterThan(GRACE_MS);
    await there.renew(ROOM, [lease(ada, "n2/2")], LEASE_MS);
    await there.release(ROOM, lease(ada, "n2/1"), 0);
    expect(await namesIn(here)).toEqual(["ada"]);
    await there.release(ROOM, lease(ada, "n2/2"), 0);
    await eventually(async () => expect(await namesIn(here)).toEqual([]));
  });

  it("never lengthens a lease by a release, and ignores an unknown one", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [lease(ada)], GRACE_MS);
    await here.release(ROOM, lease(ada), LEASE_MS);
    expect(await leftOf(there)).toBeLessThanOrEqual(GRACE_MS);
    await there.release(ROOM, lease(ben), LEASE_MS);
    expect(await namesIn(there)).toEqual(["ada"]);
  });

  it("moves the lease of a guest without a cookie", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [poll(guest("hmac"))], LEASE_MS);
    expect(await there.adopt(ROOM, guest("hmac").id, guest("cookie"))).toBe(true);
    for (const store of [here, there]) expect(await namesIn(store)).toEqual(["Anonymous #cookie"]);
    expect(await leftOf(here)).toBeGreaterThan(LEASE_MS / 2);
    expect(await there.adopt(ROOM, guest("hmac").id, guest("cookie"))).toBe(false);
    expect(await there.adopt(ROOM, guest("cookie").id, guest("cookie"))).toBe(false);
  });

  it("moves only the poller's lease, and adds none to a present participant", async () => {
    await using stores = await open();
    const { here, there } = stores;
    await here.renew(ROOM, [poll(guest("hmac")), lease(guest("hmac"), "n1/9")], LEASE_MS);
    await here.renew(ROOM, [lease(guest("cookie"), "n1/1")], LEASE_MS);
    expect(await here.adopt(ROOM, guest("hmac").id, guest("cookie"))).toBe(true);
    expect(await namesIn(there)).toEqual(["Anonymous #cookie", "Anonymous #hmac"]);
    await here.release(ROOM, lease(guest("cookie"), "n1/1"), 0);
    await here.release(ROOM, lease(guest("hmac"), "n1/9"), 0);
    expect(await namesIn(there)).toEqual([]);
  });
});

/** After any sequence of steps two servers agree with each other and with a simple model. */
it.each(kinds)(
  "presence %s is the same as for one server alone, after any steps",
  async (_, open) => {
    await using stores = await open();
    const plain = memoryPresenceStore(now);
    let seed = 7;
    const pick = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    const people = [ada, ben, guest("a"), guest("b")];
    for (let n = 0; n < 400; n++) {
      const store = pick(2) === 0 ? stores.here : stores.there;
      const participant = people[pick(people.length)] ?? ada;
      const held = pick(3) === 0 ? poll(participant) : lease(participant, `n/${pick(3)}`);
      const step = pick(4);
      if (step < 2) {
        const joined = await plain.renew(ROOM, [held], LEASE_MS);
        expect(await store.renew(ROOM, [held], LEASE_MS), `step ${n}`).toBe(joined);
      } else if (step === 2) {
        await plain.release(ROOM, held, 0);
        await store.release(ROOM, held, 0);
      } else {
        const other = people[pick(people.length)] ?? ben;
        const adopted = await plain.adopt(ROOM, other.id, participant);
        expect(await store.adopt(ROOM, other.id, participant), `step ${n}`).toBe(adopted);
      }
      const { participants } = await plain.list(ROOM);
      expect((await stores.here.list(ROOM)).participants, `step ${n}`).toEqual(participants);
      expect((await stores.there.list(ROOM)).participants, `step ${n}`).toEqual(participants);
    }
  },
);
