import type { Participant, Present } from "../ports/presence-store.ts";

interface CachedParticipant {
  participant: Participant;
  expiresAt: number;
}

const SWEEP_MS = 60_000;

/** The participants that Redis last listed in each room, until their leases expire. */
export class CachedPresence {
  readonly #rooms = new Map<string, Map<string, CachedParticipant>>();
  readonly #now: () => number;
  #sweptAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#sweptAt = now();
  }

  /** @param isComplete false if Redis may lack participants: cached ones are then kept */
  update(roomKey: string, listed: Iterable<[Participant, number]>, isComplete: boolean): void {
    this.#sweep();
    const known = isComplete ? undefined : this.#rooms.get(roomKey);
    const room = known ?? new Map<string, CachedParticipant>();
    for (const [participant, ms] of listed) {
      room.set(participant.id, { participant, expiresAt: this.#now() + ms });
    }
    if (room.size > 0) this.#rooms.set(roomKey, room);
    else this.#rooms.delete(roomKey);
  }

  list(roomKey: string): Present {
    const participants = new Map<string, Participant>();
    let next = Number.POSITIVE_INFINITY;
    for (const { participant, expiresAt } of this.#rooms.get(roomKey)?.values() ?? []) {
      if (expiresAt <= this.#now()) continue;
      participants.set(participant.id, participant);
      next = Math.min(next, expiresAt);
    }
    return { participants, nextExpiryMs: participants.size > 0 ? next - this.#now() : undefined };
  }

  /** Drops the rooms whose participants have all expired. */
  #sweep(): void {
    if (this.#now() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = this.#now();
    for (const roomKey of [...this.#rooms.keys()]) {
      if (this.list(roomKey).participants.size === 0) this.#rooms.delete(roomKey);
    }
  }
}
