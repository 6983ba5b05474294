import type { Lease, Participant, PresenceStore, Present } from "../ports/presence-store.ts";
import { pollConnection } from "../ports/presence-store.ts";

interface Entry {
  participant: Participant;
  /** The expiry time of each lease, by connection. */
  leases: Map<string, number>;
}

interface RoomEntries {
  entries: Map<string, Entry>;
  /** No lease of the room expires before this time. */
  nextExpiry: number;
  /** The cached list of participants; undefined after a participant joined or left. */
  view: ReadonlyMap<string, Participant> | undefined;
}

const emptyRoom = (): RoomEntries => ({
  entries: new Map(),
  nextExpiry: Number.POSITIVE_INFINITY,
  view: undefined,
});

export interface MemoryPresenceStore extends PresenceStore {
  /** The number of rooms with a lease. An expired lease counts until it is removed. */
  readonly rooms: number;
  /** Returns all leases by room, each with the milliseconds until its expiry. */
  leases(): [string, (Lease & { ms: number })[]][];
}

const SWEEP_MS = 60_000;

/** The presence store of a hub with one process. */
export function memoryPresenceStore(now: () => number): MemoryPresenceStore {
  const rooms = new Map<string, RoomEntries>();
  let sweptAt = now();

  function dropExpired(roomKey: string, time = now()): RoomEntries {
    const room = rooms.get(roomKey) ?? emptyRoom();
    // Every poll calls `dropExpired`. Without this comparison it would visit all leases of the
    // room.
    if (time < room.nextExpiry) return room;
    room.nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, { leases }] of room.entries) {
      for (const [connection, expires] of leases) {
        if (expires <= time) leases.delete(connection);
        else room.nextExpiry = Math.min(room.nextExpiry, expires);
      }
      if (leases.size === 0) remove(room, id);
    }
    if (room.entries.size === 0) rooms.delete(roomKey);
    return room;
  }

  function remove(room: RoomEntries, id: string): void {
    room.entries.delete(id);
    room.view = undefined;
  }

  function add(room: RoomEntries, participant: Participant, leases: Entry["leases"]): void {
    room.entries.set(participant.id, { participant, leases });
    room.view = undefined;
  }

  /** Removes the expired leases of rooms that are no longer read. */
  function sweep(time: number): void {
    if (time - sweptAt < SWEEP_MS) return;
    sweptAt = time;
    for (const roomKey of [...rooms.keys()]) dropExpired(roomKey, time);
  }

  return {
    async renew(roomKey, leases, leaseMs) {
      const time = now();
      sweep(time);
      const room = dropExpired(roomKey, time);
      const expires = time + leaseMs;
      let joined = false;
      for (const { participant, connection } of leases) {
        const entry = room.entries.get(participant.id);
        joined ||= entry === undefined;
        const renewed = (entry?.leases ?? new Map<string, number>()).set(connection, expires);
        const since_id = entry?.participant.since_id ?? participant.since_id;
        const isSame =
          entry?.participant.name === participant.name && entry.participant.since_id === since_id;
        if (!isSame) add(room, { ...participant, since_id }, renewed);
      }
      room.nextExpiry = Math.min(room.nextExpiry, expires);
      if (room.entries.size > 0) rooms.set(roomKey, room);
      return joined;
    },

    async release(roomKey, { participant, connection }, graceMs) {
      const room = rooms.get(roomKey);
      const leases = room?.entries.get(participant.id)?.leases;
      const expires = leases?.get(connection);
      if (!room || expires === undefined) return;
      const ends = Math.min(expires, now() + graceMs);
      leases?.set(connection, ends);
      room.nextExpiry = Math.min(room.nextExpiry, ends);
    },

    async adopt(roomKey, formerId, participant) {
      const room = dropExpired(roomKey);
      const former = room.entries.get(formerId);
      const expires = former?.leases.get(pollConnection(formerId));
      if (!former || expires === undefined || formerId === participant.id) return false;
      former.leases.delete(pollConnection(formerId));
      if (former.leases.size === 0) remove(room, formerId);
      if (!room.entries.has(participant.id)) {
        const { since_id } = former.participant;
        const leases = new Map([[pollConnection(participant.id), expires]]);
        add(room, { ...participant, since_id }, leases);
      }
      return true;
    },

    async list(roomKey) {
      const time = now();
      const room = dropExpired(roomKey, time);
      room.view ??= new Map([...room.entries].map(([id, { participant }]) => [id, participant]));
      return present(room.view, room.entries, time);
    },

    get rooms() {
      return rooms.size;
    },

    leases: () =>
      [...rooms.keys()].map((roomKey) => [
        roomKey,
        [...dropExpired(roomKey).entries.values()].flatMap(({ participant, leases }) =>
          [...leases].map(([connection, expires]) => ({
            participant,
            connection,
            ms: expires - now(),
          })),
        ),
      ]),
  };
}

/**
 * Returns the participants of a room. The time of the next expiry is computed only when it is read.
 * The computation visits every lease, and polls do not need it.
 */
function present(
  participants: Present["participants"],
  entries: RoomEntries["entries"],
  time: number,
): Present {
  return {
    participants,
    get nextExpiryMs() {
      let next = Number.POSITIVE_INFINITY;
      for (const { leases } of entries.values()) {
        let last = 0;
        for (const expires of leases.values()) if (expires > last) last = expires;
        if (last < next) next = last;
      }
      return entries.size > 0 ? next - time : undefined;
    },
  };
}
