import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Credentials } from "../accounts/credentials.ts";
import type { Connection, LiveOutlet } from "../context.ts";
import { HubError } from "../errors.ts";
import { findDirectWrite, type SocketHandle } from "./direct-write.ts";
import { SocketOutlet } from "./socket-outlet.ts";
import { textFrames } from "./text-frames.ts";

/** Decisions §6, Sockets. */
const MAX_SUBSCRIPTIONS = 32;

const UNKNOWN: Credentials = {
  authorization: undefined,
  sessionToken: undefined,
  guestCookie: undefined,
  ip: "",
  userAgent: "",
};

const NOTHING = Buffer.alloc(0);

const direct = findDirectWrite();

type Data = Parameters<WebSocket["send"]>[0];
type Sent = (error?: Error) => void;
type SendOptions = { mask?: boolean; binary?: boolean; compress?: boolean; fin?: boolean };

/**
 * One client's WebSocket: the library's own, which also takes frames that are ready. They go to
 * the line beneath it, in order with everything else it sends: without compression, the library
 * writes in the turn of the call.
 */
export class HubSocket extends WebSocket implements Connection {
  /** Set at the upgrade. */
  line: Duplex | undefined;
  /** Stands for the address it comes from. */
  place = "";
  /** What the upgrade showed of the sender. Set there. */
  credentials: Credentials = UNKNOWN;

  // What the guard knows of it. Fields, since a closure for each would take more than the rest.
  openedAt = 0;
  secondAt = 0;
  framesInSecond = 0;
  isHeard = true;
  lastUnsent = 0;
  stuckChecks = 0;
  floodedChecks = 0;

  readonly #outlets = new Set<SocketOutlet>();
  #handle: SocketHandle | undefined;
  /** Bytes of a direct write, which the stream doesn't know of. What it has waits behind them. */
  #waiting = 0;
  #closing: AbortController | undefined;

  /** Made for who asks: most don't. */
  get closed(): AbortSignal {
    if (!this.#closing) {
      const closing = new AbortController();
      this.once("close", () => closing.abort());
      if (this.readyState === WebSocket.CLOSED) closing.abort();
      this.#closing = closing;
    }
    return this.#closing.signal;
  }

  get isOpen(): boolean {
    return this.readyState === WebSocket.OPEN;
  }

  openOutlet(): LiveOutlet {
    if (this.#outlets.size >= MAX_SUBSCRIPTIONS) throw new HubError("rate_limited");
    const outlet = new SocketOutlet(this, this.#outlets);
    this.#outlets.add(outlet);
    return outlet;
  }

  /** Answers and errors don't overtake what has happened before them. */
  override send(data: Data, sent?: Sent): void;
  override send(data: Data, options: SendOptions, sent?: Sent): void;
  override send(data: Data, options?: SendOptions | Sent, sent?: Sent): void {
    this.#tellFirst();
    if (typeof options === "object") super.send(data, options, sent);
    else super.send(data, options);
  }

  /** The same for a text alone, with less work than the library does. */
  say(text: string): void {
    this.#tellFirst();
    this.write(textFrames("", [text], ""));
  }

  #tellFirst(): void {
    for (const { source } of this.#outlets) source?.flushNow();
  }

  /** Frames that are ready, one or more. */
  write(frames: Uint8Array): void {
    if (!this.isOpen) return;
    this.#handle ??= direct?.handleOf(this.line);
    if (!direct || !this.#handle || this.unsent > 0) {
      this.line?.write(frames);
      return;
    }
    const waiting = direct.write(this.#handle, frames, this);
    if (waiting < 0) this.line?.destroy();
    else this.#waiting = waiting;
  }

  /** Of a direct write that had to wait. */
  onSent(status: number): void {
    this.#waiting = 0;
    if (status < 0) this.line?.destroy();
  }

  /** Bytes that wait in the hub's memory for the other side to read. */
  get unsent(): number {
    return this.#waiting + (this.line?.writableLength ?? 0);
  }

  /** Runs once, when all that is unsent now is sent. */
  whenSent(run: () => void): void {
    if (!this.isOpen) return;
    // Goes behind everything that waits, and takes no time itself.
    this.line?.write(NOTHING, (error) => {
      if (!error) run();
    });
  }
}
