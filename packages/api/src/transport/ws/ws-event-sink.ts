import type { EventBatch, FrameEncoder } from "../../rooms/delivery/event-batch.ts";
import type { EventSink } from "../../rooms/delivery/event-sink.ts";
import type { TrackedRoomEvent } from "../../rooms/event-id.ts";
import { textFrames } from "./ws-frames.ts";

/** The part of a socket that an event sink uses. */
interface FrameWriter {
  write(frames: Uint8Array): void;
  readonly bufferedAmount: number;
  onDrain(listener: () => void): void;
}

const STARTED = '{"type":"started"}';

/**
 * The event sink of one subscription. It writes results as tRPC's own adapter does (0017, 0020).
 */
export class WsEventSink implements EventSink, FrameEncoder {
  readonly framePrefix: string;
  source: EventSink["source"];
  readonly #socket: FrameWriter;
  /** All open sinks of the socket. */
  readonly #open: Set<WsEventSink>;
  /**
   * True once tRPC's message `started` was sent. It is sent with the first events in one write, or
   * at the end if there are none.
   */
  #isStarted = false;
  #isEnded = false;

  /**
   * @param framePrefix the start of the JSON text of each result, with the JSON-RPC id of the
   * subscription
   */
  constructor(socket: FrameWriter, framePrefix: string, open: Set<WsEventSink>) {
    this.framePrefix = intern(framePrefix);
    this.#socket = socket;
    this.#open = open;
    open.add(this);
  }

  encodeEvent({ id, event }: TrackedRoomEvent): string {
    return JSON.stringify({ type: "data", data: { id, data: event }, id });
  }

  encodeFrames(texts: readonly string[]): Uint8Array {
    return textFrames(this.framePrefix, texts, "}");
  }

  write(batch: EventBatch): void {
    if (this.#isEnded) return;
    const frames = batch.framesFor(this);
    this.#socket.write(this.#isStarted ? frames : Buffer.concat([this.#start(), frames]));
  }

  #start(): Uint8Array {
    this.#isStarted = true;
    return this.encodeFrames([STARTED]);
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  onDrain(listener: () => void): void {
    this.#socket.onDrain(listener);
  }

  end(): void {
    if (this.#isEnded) return;
    if (!this.#isStarted) this.#socket.write(this.#start());
    this.#isEnded = true;
    this.#open.delete(this);
  }
}

/**
 * Returns an equal string that V8 stores once, as a property name. Two such strings compare fast.
 */
const intern = (text: string): string => Object.keys({ [text]: true })[0] ?? text;
