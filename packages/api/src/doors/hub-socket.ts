import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Credentials } from "../accounts/credentials.ts";
import type { Connection, LiveOutlet } from "../context.ts";
import { HubError } from "../errors.ts";
import { SocketOutlet } from "./socket-outlet.ts";

/** Decisions §6, Sockets. */
const MAX_SUBSCRIPTIONS = 32;

const UNKNOWN: Credentials = {
  authorization: undefined,
  sessionToken: undefined,
  guestCookie: undefined,
  ip: "",
  userAgent: "",
};

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
  /** Set at the upgrade: its subscriptions write frames, or else tRPC asks for each event. */
  takesFrames = false;
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
  #waiting: (() => void)[] | undefined;

  openOutlet(): LiveOutlet {
    if (this.#outlets.size >= MAX_SUBSCRIPTIONS) throw new HubError("rate_limited");
    const outlet = new SocketOutlet(this, this.#outlets, this.takesFrames);
    this.#outlets.add(outlet);
    return outlet;
  }

  /** Answers and errors don't overtake what has happened before them. */
  override send(data: Data, sent?: Sent): void;
  override send(data: Data, options: SendOptions, sent?: Sent): void;
  override send(data: Data, options?: SendOptions | Sent, sent?: Sent): void {
    for (const { source } of this.#outlets) source?.flushNow();
    if (typeof options === "object") super.send(data, options, sent);
    else super.send(data, options);
  }

  /** Frames that are ready, one or more. */
  write(frames: Uint8Array): void {
    if (this.readyState === WebSocket.OPEN) this.line?.write(frames);
  }

  /** Bytes that wait in the hub's memory for the other side to read. */
  get unsent(): number {
    return this.line?.writableLength ?? 0;
  }

  /** Runs once, when nothing is unsent any more. */
  whenSent(run: () => void): void {
    if (this.#waiting) {
      this.#waiting.push(run);
      return;
    }
    this.#waiting = [run];
    this.line?.once("drain", () => {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const goOn of waiting) goOn();
    });
  }
}
