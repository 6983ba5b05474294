import type { Participant, Present } from "../presence-store.ts";

interface Seen {
  participant: Participant;
  until: number;
}

const SWEEP_MS = 60_000;

/** Whom Redis last named in each room, and until when they would count without another word. */
export class RememberedPresence {
  readonly #rooms = new Map<string, Map<string, Seen>>();
  readonly #now: () => number;
  #sweptAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#sweptAt = now();
  }

  /** @param isWhole false: Redis may not know everybody yet, so nobody is forgotten */
  note(roomKey: string, here: Iterable<[Participant, number]>, isWhole: boolean): void {
    this.#sweep();
    const seen = (isWhole ? undefined : this.#rooms.get(roomKey)) ?? new Map<string, Seen>();
    for (const [participant, ms] of here) {
      seen.set(participant.id, { participant, until: this.#now() + ms });
    }
    if (seen.size > 0) this.#rooms.set(roomKey, seen);
    else this.#rooms.delete(roomKey);
  }

  list(roomKey: string): Present {
    const participants = new Map<string, Participant>();
    let next = Number.POSITIVE_INFINITY;
    for (const { participant, until } of this.#rooms.get(roomKey)?.values() ?? []) {
      if (until <= this.#now()) continue;
      participants.set(participant.id, participant);
      next = Math.min(next, until);
    }
    return { participants, nextExpiryMs: participants.size > 0 ? next - this.#now() : undefined };
  }

  /** Rooms that nobody asks about any more. */
  #sweep(): void {
    if (this.#now() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = this.#now();
    for (const roomKey of [...this.#rooms.keys()]) {
      if (this.list(roomKey).participants.size === 0) this.#rooms.delete(roomKey);
    }
  }
}
