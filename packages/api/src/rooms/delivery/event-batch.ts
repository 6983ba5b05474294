import type { TrackedRoomEvent } from "../event-id.ts";

/** Encodes events as texts, and texts as frames that begin with `framePrefix`. */
export interface FrameEncoder {
  readonly framePrefix: string;
  encodeEvent(event: TrackedRoomEvent): string;
  /** Encodes one frame per text, in order. Each frame begins with `framePrefix`. */
  encodeFrames(texts: readonly string[]): Uint8Array;
}

/** Events that are written together. They are encoded once, however many subscribers get them. */
export class EventBatch {
  readonly events: readonly TrackedRoomEvent[];
  #texts: string[] | undefined;
  readonly #framesByPrefix = new Map<string, Uint8Array>();

  constructor(events: readonly TrackedRoomEvent[]) {
    this.events = events;
  }

  framesFor(encoder: FrameEncoder): Uint8Array {
    return this.#framesByPrefix.get(encoder.framePrefix) ?? this.#encode(encoder);
  }

  #encode(encoder: FrameEncoder): Uint8Array {
    this.#texts ??= this.events.map((event) => encoder.encodeEvent(event));
    const frames = encoder.encodeFrames(this.#texts);
    this.#framesByPrefix.set(encoder.framePrefix, frames);
    return frames;
  }
}
