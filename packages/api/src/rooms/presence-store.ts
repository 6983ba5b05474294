import type { Soon } from "../soon.ts";

/** Who is in a room: an account or a guest, whatever they are connected with. */
export interface Participant {
  /** Unique over accounts and guests, never shown to anybody. */
  id: string;
  name: string;
  kind: "member" | "guest";
}

export interface Lease {
  participant: Participant;
  connection: string;
}

export interface Present {
  /** By participant id. Replaced, never changed: the rooms compare it by identity. */
  participants: ReadonlyMap<string, Participant>;
  /** Until somebody may drop out; undefined when nobody is there. */
  nextExpiryMs: number | undefined;
}

/**
 * Leases (room, participant, connection). Times are spans, so the store's own clock rules. A store
 * of one process answers without a promise.
 */
export interface PresenceStore {
  /** Takes or renews leases. True: somebody is there now who was not before. */
  renew(roomKey: string, leases: readonly Lease[], leaseMs: number): Soon<boolean>;
  /** Lets a lease run out after the grace, if it would not sooner. */
  release(roomKey: string, lease: Lease, graceMs: number): Soon<void>;
  /**
   * Hands the poller's lease of `formerId` to `participant`, unless they are there already
   * by other means: then it just ends. False: there was none.
   */
  adopt(roomKey: string, formerId: string, participant: Participant): Soon<boolean>;
  list(roomKey: string): Soon<Present>;
}

export function pollConnection(participantId: string): string {
  return `poll:${participantId}`;
}
