import type { LiveOutlet } from "../context.ts";
import type { TrackedRoomEvent } from "../rooms/event-id.ts";
import { textFrames } from "./text-frames.ts";

/** The part of a socket that an outlet writes to. */
interface Line {
  write(frames: Uint8Array): void;
  readonly unsent: number;
  whenSent(run: () => void): void;
}

const STARTED = '{"type":"started"}';

/**
 * One subscription of one socket. Its frames are worded as tRPC would word them, from the id by
 * which the client knows it (docs/decisions/0017, 0020).
 */
export class SocketOutlet implements LiveOutlet {
  wording: string | undefined;
  source: LiveOutlet["source"];
  readonly #line: Line;
  /** All of the socket's that have not ended. */
  readonly #open: Set<SocketOutlet>;
  /** `started` has not been said yet. */
  #isStarting = false;
  #isEnded = false;

  constructor(line: Line, open: Set<SocketOutlet>) {
    this.#line = line;
    this.#open = open;
  }

  start(wording: string): void {
    this.wording = oneOfEach(wording);
    // Said with the first events, in one write, or before what ends it.
    this.#isStarting = true;
  }

  textOf({ id, event }: TrackedRoomEvent): string {
    return JSON.stringify({ type: "data", data: { id, data: event }, id });
  }

  framesOf(texts: readonly string[]): Uint8Array {
    return textFrames(this.wording ?? "", texts, "}");
  }

  write(frames: Uint8Array): void {
    // Its `stopped`, or its error, has been said or is about to be.
    if (this.#isEnded) return;
    this.#line.write(this.#isStarting ? Buffer.concat([this.#takeStarted(), frames]) : frames);
  }

  #takeStarted(): Uint8Array {
    this.#isStarting = false;
    return this.framesOf([STARTED]);
  }

  get unsent(): number {
    return this.#line.unsent;
  }

  whenSent(run: () => void): void {
    this.#line.whenSent(run);
  }

  end(): void {
    if (this.#isStarting) this.#line.write(this.#takeStarted());
    this.#isEnded = true;
    this.#open.delete(this);
  }
}

/**
 * V8 has each name of a property once. Equal wordings are then one string, and to compare two, as
 * for every reader of every turn, takes no look at their letters.
 */
const oneOfEach = (text: string): string | undefined => Object.keys({ [text]: true })[0];
