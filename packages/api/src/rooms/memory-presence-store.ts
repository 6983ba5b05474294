import type { Lease, Participant, PresenceStore } from "./presence-store.ts";
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

  function dropExpired(roomKey: string): HereRoom {
    const room = rooms.get(roomKey) ?? { people: new Map(), nextExpiry: Number.POSITIVE_INFINITY };
    const time = now();
    // Those who ask again and again would otherwise look through all the others each time.
    if (time < room.nextExpiry) return room;
    room.nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, { leases }] of room.people) {
      for (const [connection, expires] of leases) {
        if (expires <= time) leases.delete(connection);
        else room.nextExpiry = Math.min(room.nextExpiry, expires);
      }
      if (leases.size === 0) room.people.delete(id);
    }
    if (room.people.size === 0) rooms.delete(roomKey);
    return room;
  }

  /** Rooms that nobody asks about any more would keep their last leases for ever. */
  function sweep(): void {
    if (now() - sweptAt < sweepMs) return;
    sweptAt = now();
    for (const roomKey of [...rooms.keys()]) dropExpired(roomKey);
  }

  return {
    async renew(roomKey, leases, leaseMs) {
      sweep();
      const room = dropExpired(roomKey);
      const expires = now() + leaseMs;
      let joined = false;
      for (const { participant, connection } of leases) {
        const here = room.people.get(participant.id);
        joined ||= here === undefined;
        const held = here?.leases ?? new Map<string, number>();
        room.people.set(participant.id, { participant, leases: held.set(connection, expires) });
      }
      room.nextExpiry = Math.min(room.nextExpiry, expires);
      if (room.people.size > 0) rooms.set(roomKey, room);
      return joined;
    },

    async release(roomKey, { participant, connection }, graceMs) {
      const room = rooms.get(roomKey);
      const leases = room?.people.get(participant.id)?.leases;
      const expires = leases?.get(connection);
      if (!room || expires === undefined) return;
      const ends = Math.min(expires, now() + graceMs);
      leases?.set(connection, ends);
      room.nextExpiry = Math.min(room.nextExpiry, ends);
    },

    async adopt(roomKey, formerId, participant) {
      const room = dropExpired(roomKey).people;
      const former = room.get(formerId);
      const expires = former?.leases.get(pollConnection(formerId));
      if (!former || expires === undefined || formerId === participant.id) return false;
      former.leases.delete(pollConnection(formerId));
      if (former.leases.size === 0) room.delete(formerId);
      if (!room.has(participant.id)) {
        const leases = new Map([[pollConnection(participant.id), expires]]);
        room.set(participant.id, { participant, leases });
      }
      return true;
    },

    async list(roomKey) {
      const room = dropExpired(roomKey).people;
      const participants = new Map<string, Participant>();
      let nextExpiry = Number.POSITIVE_INFINITY;
      for (const [id, { participant, leases }] of room) {
        participants.set(id, participant);
        nextExpiry = Math.min(nextExpiry, Math.max(...leases.values()));
      }
      return { participants, nextExpiryMs: room.size > 0 ? nextExpiry - now() : undefined };
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
