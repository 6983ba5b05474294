/** An account or a guest in a room, over any number of connections. */
export interface Participant {
  /** An id that is unique among accounts and guests. It is never sent to clients. */
  id: string;
  name: string;
  kind: "member" | "guest";
  /**
   * Of a lease: id of the room's newest message when it was taken. The store keeps the one of the
   * participant's first lease. Servers of the first release set none.
   */
  since_id?: number | undefined;
}

/** A claim of a participant to be present, over one of its connections. */
export interface Lease {
  participant: Participant;
  connection: string;
}

export interface LeaseName {
  participant: Pick<Participant, "id">;
  connection: string;
}

export interface Present {
  /** Participants by id. A change creates a new map, since rooms compare maps by identity. */
  participants: ReadonlyMap<string, Participant>;
  /** Milliseconds until the next participant may expire; undefined for an empty room. */
  nextExpiryMs: number | undefined;
}

/**
 * Holds leases, one per room, participant and connection. All times are durations in milliseconds,
 * measured by the store's own clock.
 */
export interface PresenceStore {
  /** Takes or renews leases. Returns true if a participant joined the room. */
  renew(roomKey: string, leases: readonly Lease[], leaseMs: number): Promise<boolean>;
  /** Shortens a lease to at most `graceMs`. */
  release(roomKey: string, lease: LeaseName, graceMs: number): Promise<void>;
  /**
   * Transfers the polling lease of the participant `formerId` to `participant`. Ends that lease
   * instead if `participant` is already present.
   * @returns false if `formerId` had no polling lease
   */
  adopt(roomKey: string, formerId: string, participant: Participant): Promise<boolean>;
  list(roomKey: string): Promise<Present>;
}

/** Returns the id of the connection that all polls of a participant share. */
export function pollConnection(participantId: string): string {
  return `poll:${participantId}`;
}
