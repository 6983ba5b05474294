import type { TrackedRoomEvent } from "./event-id.ts";
import type { RoomOutlet } from "./room-outlet.ts";

/** Events that go out together, encoded once however many get them. */
export class EventBatch {
  readonly #events: readonly TrackedRoomEvent[];
  #texts: string[] | undefined;
  readonly #frames = new Map<string | undefined, Uint8Array>();
  /** Those of the reader before: nearly all have the same wording. */
  #wording: string | undefined;
  #last: Uint8Array | undefined;

  constructor(events: readonly TrackedRoomEvent[]) {
    this.#events = events;
  }

  framesFor(outlet: RoomOutlet): Uint8Array {
    const { wording } = outlet;
    if (this.#last && wording === this.#wording) return this.#last;
    const frames = this.#frames.get(wording) ?? this.#make(outlet);
    this.#wording = wording;
    this.#last = frames;
    return frames;
  }

  #make(outlet: RoomOutlet): Uint8Array {
    this.#texts ??= this.#events.map((event) => outlet.textOf(event));
    const frames = outlet.framesOf(this.#texts);
    this.#frames.set(outlet.wording, frames);
    return frames;
  }
}
