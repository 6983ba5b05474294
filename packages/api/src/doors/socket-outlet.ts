import { jsonEncoder } from "@trpc/server/adapters/ws";
import type { LiveOutlet } from "../context.ts";
import type { TrackedRoomEvent } from "../rooms/event-id.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import { textFrames } from "./text-frames.ts";

/** The part of a socket that an outlet writes to. */
interface Line {
  write(frames: Uint8Array): void;
  readonly unsent: number;
  whenSent(run: () => void): void;
}

/**
 * One subscription of one socket. tRPC sends its first event, and so shows the id that the client
 * knows the subscription by; all others are written as tRPC would have, past its generator
 * (docs/decisions/0017).
 */
export class SocketOutlet implements LiveOutlet {
  wording: string | undefined;
  source: LiveOutlet["source"];
  readonly #line: Line;
  /** All of the socket's that have not ended. */
  readonly #open: Set<SocketOutlet>;
  readonly #takesFrames: boolean;
  #isEnded = false;

  constructor(line: Line, open: Set<SocketOutlet>, takesFrames: boolean) {
    this.#line = line;
    this.#open = open;
    this.#takesFrames = takesFrames;
  }

  introduce(event: RoomEvent): RoomEvent {
    if (!this.#takesFrames) return event;
    // To tRPC it is a value that it tracks and encodes.
    return new Introduction(this, event) as unknown as RoomEvent;
  }

  textOf({ id, event }: TrackedRoomEvent): string {
    return JSON.stringify({ type: "data", data: { id, data: event }, id });
  }

  framesOf(texts: readonly string[]): Uint8Array {
    return textFrames(this.wording ?? "", texts, "}");
  }

  write(frames: Uint8Array): void {
    // Its `stopped`, or its error, has been said or is about to be.
    if (!this.#isEnded) this.#line.write(frames);
  }

  get unsent(): number {
    return this.#line.unsent;
  }

  whenSent(run: () => void): void {
    this.#line.whenSent(run);
  }

  end(): void {
    this.#isEnded = true;
    this.#open.delete(this);
  }
}

/**
 * The first event of a subscription, in tRPC's hands. Its frame stays with tRPC's loop for as long
 * as the subscription lives, which with a sync's list of people took more than the socket.
 */
class Introduction {
  readonly #outlet: SocketOutlet;
  #event: RoomEvent | undefined;

  constructor(outlet: SocketOutlet, event: RoomEvent) {
    this.#outlet = outlet;
    this.#event = event;
  }

  toJSON(): RoomEvent | undefined {
    return this.#event;
  }

  /** It has been encoded, in this message. */
  end(message: unknown): void {
    this.#outlet.wording = wordingOf(message);
    this.#event = undefined;
  }
}

/** JSON as tRPC's own; on the way it learns how the frames of each subscription begin. */
export const introducingEncoder = {
  encode(message: unknown): string {
    const text = JSON.stringify(message);
    const event = eventIn(message);
    if (event instanceof Introduction) event.end(message);
    return text;
  },
  decode: jsonEncoder.decode,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The event in `{id, result: {type: "data", id, data: {id, data: event}}}`. */
function eventIn(message: unknown): unknown {
  const result = isObject(message) ? message.result : undefined;
  const envelope = isObject(result) ? result.data : undefined;
  return isObject(envelope) ? envelope.data : undefined;
}

/** What stands before the result: the id and whatever else is this client's own. */
function wordingOf(message: unknown): string | undefined {
  const end = "null}";
  const text = JSON.stringify({ ...(message as object), result: null });
  return text.endsWith(`"result":${end}`) ? oneOfEach(text.slice(0, -end.length)) : undefined;
}

/**
 * V8 has each name of a property once. Equal wordings are then one string, and to compare two, as
 * for every reader of every turn, takes no look at their letters.
 */
const oneOfEach = (text: string): string | undefined => Object.keys({ [text]: true })[0];
