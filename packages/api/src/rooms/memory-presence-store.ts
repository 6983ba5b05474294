import type { Lease, Participant, PresenceStore, Present } from "./presence-store.ts";
import { pollConnection } from "./presence-store.ts";

interface Here {
  participant: Participant;
  /** When each connection's lease runs out. */
  leases: Map<string, number>;
}

interface HereRoom {
  people: Map<string, Here>;
  /** No lease runs out before: until then there is nothing to look for. */
  nextExpiry: number;
  /** Who is there, until somebody comes or goes. */
  view: ReadonlyMap<string, Participant> | undefined;
}

const emptyRoom = (): HereRoom => ({
  people: new Map(),
  nextExpiry: Number.POSITIVE_INFINITY,
  view: undefined,
});

/**
 * Who is in a room now. When somebody may drop out is worked out for those who ask, who do so at
 * once: no poll does.
 */
class PresentHere implements Present {
  readonly participants: ReadonlyMap<string, Participant>;
  readonly #people: HereRoom["people"];
  readonly #time: number;

  constructor(participants: Present["participants"], people: HereRoom["people"], time: number) {
    this.participants = participants;
    this.#people = people;
    this.#time = time;
  }

  get nextExpiryMs(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const { leases } of this.#people.values()) {
      let last = 0;
      for (const expires of leases.values()) if (expires > last) last = expires;
      if (last < next) next = last;
    }
    return this.#people.size > 0 ? next - this.#time : undefined;
  }
}

export interface MemoryPresenceStore extends PresenceStore {
  /** Rooms in which a lease is held, or was when last looked at. */
  readonly rooms: number;
  /** Every lease that is held, by room, with the time it has left. */
  held(): [string, (Lease & { ms: number })[]][];
}

/** Presence of a hub that is one process. */
export function memoryPresenceStore(now: () => number): MemoryPresenceStore {
  const rooms = new Map<string, HereRoom>();
  const sweepMs = 60_000;
  let sweptAt = now();

  function dropExpired(roomKey: string, time = now()): HereRoom {
    const room = rooms.get(roomKey) ?? emptyRoom();
    // Those who ask again and again would otherwise look through all the others each time.
    if (time < room.nextExpiry) return room;
    room.nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, { leases }] of room.people) {
      for (const [connection, expires] of leases) {
        if (expires <= time) leases.delete(connection);
        else room.nextExpiry = Math.min(room.nextExpiry, expires);
      }
      if (leases.size === 0) drop(room, id);
    }
    if (room.people.size === 0) rooms.delete(roomKey);
    return room;
  }

  function drop(room: HereRoom, id: string): void {
    room.people.delete(id);
    room.view = undefined;
  }

  function admit(room: HereRoom, participant: Participant, leases: Here["leases"]): void {
    room.people.set(participant.id, { participant, leases });
    room.view = undefined;
  }

  /** Rooms that nobody asks about any more would keep their last leases for ever. */
  function sweep(time: number): void {
    if (time - sweptAt < sweepMs) return;
    sweptAt = time;
    for (const roomKey of [...rooms.keys()]) dropExpired(roomKey, time);
  }

  return {
    renew(roomKey, leases, leaseMs) {
      const time = now();
      sweep(time);
      const room = dropExpired(roomKey, time);
      const expires = time + leaseMs;
      let joined = false;
      for (const { participant, connection } of leases) {
        const here = room.people.get(participant.id);
        joined ||= here === undefined;
        const leases = (here?.leases ?? new Map<string, number>()).set(connection, expires);
        if (here?.participant.name !== participant.name) admit(room, participant, leases);
      }
      room.nextExpiry = Math.min(room.nextExpiry, expires);
      if (room.people.size > 0) rooms.set(roomKey, room);
      return joined;
    },

    release(roomKey, { participant, connection }, graceMs) {
      const room = rooms.get(roomKey);
      const leases = room?.people.get(participant.id)?.leases;
      const expires = leases?.get(connection);
      if (!room || expires === undefined) return;
      const ends = Math.min(expires, now() + graceMs);
      leases?.set(connection, ends);
      room.nextExpiry = Math.min(room.nextExpiry, ends);
    },

    adopt(roomKey, formerId, participant) {
      const room = dropExpired(roomKey);
      const former = room.people.get(formerId);
      const expires = former?.leases.get(pollConnection(formerId));
      if (!former || expires === undefined || formerId === participant.id) return false;
      former.leases.delete(pollConnection(formerId));
      if (former.leases.size === 0) drop(room, formerId);
      if (!room.people.has(participant.id)) {
        admit(room, participant, new Map([[pollConnection(participant.id), expires]]));
      }
      return true;
    },

    list(roomKey) {
      const time = now();
      const room = dropExpired(roomKey, time);
      room.view ??= new Map([...room.people].map(([id, { participant }]) => [id, participant]));
      return new PresentHere(room.view, room.people, time);
    },

    get rooms() {
      return rooms.size;
    },

    held: () =>
      [...rooms.keys()].map((roomKey) => [
        roomKey,
        [...dropExpired(roomKey).people.values()].flatMap(({ participant, leases }) =>
          [...leases].map(([connection, expires]) => ({
            participant,
            connection,
            ms: expires - now(),
          })),
        ),
      ]),
  };
}
