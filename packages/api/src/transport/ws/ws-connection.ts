import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Credentials } from "../../accounts/credentials.ts";
import { HubError } from "../../errors.ts";
import type { EventSink } from "../../rooms/delivery/event-sink.ts";
import type { Connection } from "../connection.ts";
import type { CallBudget } from "./ws-call-budget.ts";
import { WsEventSink } from "./ws-event-sink.ts";
import { textFrames } from "./ws-frames.ts";

/** Maximum number of subscriptions per socket (decisions §6, Sockets). */
const MAX_SUBSCRIPTIONS = 32;

const NO_BYTES = Buffer.alloc(0);
/** tRPC's message to a client: open a second socket, and keep the first until the second is ready. */
const RECONNECT = JSON.stringify({ id: null, method: "reconnect" });

/**
 * A client's WebSocket that can also write encoded frames directly to the TCP socket. They stay in
 * order with the frames of the `ws` library, because `ws` without compression writes at once.
 */
export class WsConnection extends WebSocket implements Connection {
  /**
   * The TCP or TLS socket below the WebSocket. The upgrade handler sets this field and
   * `credentials`.
   */
  declare line: Duplex;
  declare credentials: Credentials;
  /** The call budgets of this socket and of its address. The sockets of an address share its budget. */
  budgets: readonly CallBudget[] = [];

  // The state that ws-limits.ts keeps per socket. Fields of the socket take less memory than
  // closures.
  openedAt = 0;
  frameTick = 0;
  recentFrames = 0;
  isAlive = true;
  lastBuffered = 0;
  stuckChecks = 0;
  floodedChecks = 0;

  readonly #sinks = new Set<WsEventSink>();
  #closing: AbortController | undefined;

  /**
   * A signal that aborts when the socket closes. It is created on demand, since most sockets do not
   * need it.
   */
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

  /** @throws HubError `rate_limited` at the limit of subscriptions (decisions §6) */
  openSink(framePrefix: string): EventSink {
    if (this.#sinks.size >= MAX_SUBSCRIPTIONS) throw new HubError("rate_limited");
    return new WsEventSink(this, framePrefix, this.#sinks);
  }

  get isOverBudget(): boolean {
    return this.budgets.some(({ isSpent }) => isSpent);
  }

  spendCalls(calls: number): void {
    for (const budget of this.budgets) budget.spend(calls);
  }

  /**
   * Sends a text message with less work than `send` of the `ws` library. Scheduled events are sent
   * first. Otherwise a response could overtake the events of its call.
   */
  sendText(text: string): void {
    for (const { source } of this.#sinks) source?.flushNow();
    this.write(textFrames("", [text], ""));
  }

  reconnect(): void {
    this.sendText(RECONNECT);
  }

  /** Writes encoded frames to the TCP socket, unless the WebSocket is closed. */
  write(frames: Uint8Array): void {
    if (this.isOpen) this.line.write(frames);
  }

  /** Calls `listener` once, when all bytes that are buffered now have been written. */
  onDrain(listener: () => void): void {
    if (!this.isOpen) return;
    this.line.write(NO_BYTES, (error) => {
      if (!error) listener();
    });
  }
}
