import type { RoomListener } from "../delivery/room-listener.ts";
import type { TrackedRoomEvent } from "../event-id.ts";
import type { Lease, Participant } from "../ports/presence-store.ts";
import { pollConnection } from "../ports/presence-store.ts";
import type { PresenceView } from "../presence/room-presence.ts";
import type { Room } from "../room.ts";
import type { RoomEvent } from "../room-events.ts";
import type { Cancel } from "../room-timers.ts";

/**
 * The time for which a poll session keeps listening between two calls, so that its client misses no
 * change.
 */
const BETWEEN_CALLS_MS = 5_000;
/** Transient events that end the wait of a long poll. A new message ends it as well. */
const news: ReadonlySet<RoomEvent["type"]> = new Set([
  "presence",
  "asked",
  "reply-done",
  "reply-failed",
]);

interface WaitOptions {
  /** The id of the room's newest message when the call read the room. A newer one ends the wait. */
  head: number;
  /** The room's revision when the call read the room. Undefined: a newer one is no news. */
  revision?: number | undefined;
  /** The longest duration of the wait in milliseconds. */
  ms: number;
  /** Aborts when the client disconnects, which ends the wait. */
  signal?: AbortSignal | undefined;
}

/** Why a wait ended. `recheck`: the participant's right to be in the room may have ended. */
type WaitOutcome = "news" | "recheck" | "timeout";

/** A call that waits for news of its room. */
export interface Wait extends Pick<WaitOptions, "head" | "revision"> {
  end: (outcome: WaitOutcome) => void;
}

interface PollSessionOptions {
  /** Called when a call has ended. The session keeps listening until its client's next call. */
  onIdle: () => void;
  /** Called once, when the session stops listening. */
  onEnd: () => void;
}

/**
 * The session of one polling client in a room (decisions §5, `wait`). Each call of the client uses
 * the session and then disposes of it. Between two calls the session keeps listening. A change in
 * that time ends the next wait at once.
 */
export class PollSession implements RoomListener, Disposable {
  readonly lease: Lease;
  readonly isLagging = false;
  view: PresenceView | undefined;
  #room: Room;
  readonly #options: PollSessionOptions;
  #isInUse = true;
  #wait: Wait | undefined;
  #hasNews = false;
  #needsRecheck = false;
  #isEnded = false;
  #cancelIdle: Cancel | undefined;

  constructor(room: Room, participant: Participant, options: PollSessionOptions) {
    this.lease = { participant, connection: pollConnection(participant.id) };
    this.#room = room;
    this.#options = options;
    room.join(this);
    // Schedules the reads of presence, since no event reports that a lease expired.
    room.presence.touch();
  }

  /** True while a call uses the session. A new session is in use by the call that created it. */
  get isInUse(): boolean {
    return this.#isInUse;
  }

  /** The call that is waiting for news, if any. */
  get waiting(): Wait | undefined {
    return this.#wait;
  }

  /** True if the participant's right may have ended since the current call checked it. */
  get needsRecheck(): boolean {
    return this.#needsRecheck;
  }

  /** Marks the session as in use by the client's next call. */
  begin(): void {
    this.#isInUse = true;
    this.#cancelIdle?.();
  }

  /** Ends the current call. The session soon ends itself unless the client calls again. */
  [Symbol.dispose](): void {
    this.#isInUse = false;
    if (this.#isEnded) return;
    this.#cancelIdle = this.#room.ports.timers.after(BETWEEN_CALLS_MS, () => this.end());
    this.#options.onIdle();
  }

  /** True if the room had news, except new messages, since the last call of `takeNews`. */
  takeNews(): boolean {
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** Waits for a change of the room. Returns at once if there was one since {@link takeNews}. */
  async wait({ head, revision, ms, signal }: WaitOptions): Promise<WaitOutcome> {
    if (this.#isEnded || signal?.aborted) return "timeout";
    if (this.#needsRecheck) {
      this.#needsRecheck = false;
      return "recheck";
    }
    if (this.#hasNews || this.#isNewerThan({ head, revision })) return "news";
    return new Promise((resolve) => {
      const onTimeout = () => this.#wait?.end("timeout");
      const cancelTimer = this.#room.ports.timers.after(ms, onTimeout);
      signal?.addEventListener("abort", onTimeout);
      const end = (outcome: WaitOutcome) => {
        this.#wait = undefined;
        cancelTimer();
        signal?.removeEventListener("abort", onTimeout);
        resolve(outcome);
      };
      this.#wait = { head, revision, end };
    });
  }

  #isNewerThan({ head, revision }: Pick<Wait, "head" | "revision">): boolean {
    const { buffer, revisions } = this.#room;
    return buffer.head > head || (revision !== undefined && revisions.revision > revision);
  }

  wake(): void {
    if (this.#wait && this.#isNewerThan(this.#wait)) this.#wait.end("news");
  }

  offer({ event }: TrackedRoomEvent): void {
    if (event.type === "changed") this.wake();
    if (!news.has(event.type)) return;
    this.#hasNews = true;
    this.#wait?.end("news");
  }

  recheck(): void {
    // While no call waits, a recheck is remembered: the next `wait` then ends at once.
    if (this.#wait) this.#wait.end("recheck");
    else this.#needsRecheck = true;
  }

  dismiss(): void {
    this.end();
  }

  restart(): void {
    const { successor } = this.#room;
    if (this.#isEnded || !successor) return;
    this.#room = successor;
    successor.join(this);
    successor.presence.touch();
    this.#hasNews = true;
    this.#wait?.end("news");
    // A later wait must also end for a message that the successor finds when it opens.
    successor.open().then(
      () => this.wake(),
      // The successor has ended this session.
      () => undefined,
    );
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#wait?.end("timeout");
    this.#cancelIdle?.();
    this.#room.leave(this);
    this.#options.onEnd();
  }
}
