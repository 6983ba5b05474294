import type { TrackedRoomEvent } from "./event-id.ts";
import type { RoomOutlet } from "./room-outlet.ts";

/** Events that go out together, encoded once however many get them. */
export class EventBatch {
  readonly #events: readonly TrackedRoomEvent[];
  #texts: string[] | undefined;
  readonly #frames = new Map<string | undefined, Uint8Array>();

  constructor(events: readonly TrackedRoomEvent[]) {
    this.#events = events;
  }

  framesFor(outlet: RoomOutlet): Uint8Array {
    const made = this.#frames.get(outlet.wording);
    if (made) return made;
    this.#texts ??= this.#events.map((event) => outlet.textOf(event));
    const frames = outlet.framesOf(this.#texts);
    this.#frames.set(outlet.wording, frames);
    return frames;
  }
}
