import type { Soon } from "../soon.ts";
import type { Participant, PresenceStore, Present } from "./presence-store.ts";
import type { PresenceEvent } from "./room-events.ts";
import type { Cancel, RoomTimers } from "./room-timers.ts";

export type PresenceView = ReadonlyMap<string, Participant>;

/** What somebody who was told `from` must hear to know `to`; undefined when it is the same. */
export function presenceChange(from: PresenceView, to: PresenceView): PresenceEvent | undefined {
  const missing = (view: PresenceView, others: PresenceView) =>
    [...view.values()].filter(({ id }) => !others.has(id)).map(({ name }) => name);
  const joined = missing(to, from);
  const left = missing(from, to);
  if (joined.length === 0 && left.length === 0) return undefined;
  return { type: "presence", online_count: to.size, joined, left };
}

interface PresenceOptions {
  roomKey: string;
  store: PresenceStore;
  timers: RoomTimers;
  gatherMs: number;
  /** False while nobody would hear of a change: then nothing is scheduled. */
  isHeard: () => boolean;
  onView: (view: PresenceView) => void;
  onError: (error: unknown) => void;
}

/** Watches who is in one room and tells of changes, gathered. */
export class RoomPresence {
  readonly #options: PresenceOptions;
  #cancel: Cancel | undefined;
  #dueAt = 0;
  #isReading = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Something may have changed: looks after the gathering time. */
  touch(): void {
    this.#lookIn(this.#options.gatherMs);
  }

  list(): Soon<Present> {
    return this.#options.store.list(this.#options.roomKey);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #lookIn(ms: number): void {
    const { timers, isHeard } = this.#options;
    const dueAt = timers.now() + ms;
    if (!isHeard() || (this.#cancel && this.#dueAt <= dueAt)) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#cancel = timers.after(ms, () => {
      this.#cancel = undefined;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    // Two reads at once could answer in the wrong order and bring back who has left.
    if (this.#isReading) return this.touch();
    this.#isReading = true;
    try {
      const { participants, nextExpiryMs } = await this.list();
      if (!this.#options.isHeard()) return;
      this.#options.onView(participants);
      // Whoever drops out next is gathered too: a lost server's people leave as one event.
      if (nextExpiryMs !== undefined) this.#lookIn(nextExpiryMs + this.#options.gatherMs);
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#isReading = false;
    }
  }
}
