import { HubError } from "../../../errors.ts";
import type { EventSink } from "../../../rooms/delivery/event-sink.ts";
import type { PushedEvents } from "../../../rooms/delivery/pushed-events.ts";
import type { RpcCall } from "./rpc-messages.ts";

/** The connection that a subscription belongs to. */
interface Host {
  readonly isOpen: boolean;
  call(call: RpcCall): Promise<unknown>;
  openSink(call: RpcCall): EventSink;
  sendResult(call: RpcCall, result: object): void;
  sendError(call: RpcCall, cause: unknown): void;
  /** Forgets the call, so that a later call may use its id. */
  remove(call: RpcCall): void;
}

/** One subscription of a socket, from its call to the message `stopped`. */
export class RpcSubscription {
  readonly #host: Host;
  readonly #call: RpcCall;
  #isStopped = false;
  #events: PushedEvents | undefined;

  constructor(host: Host, call: RpcCall) {
    this.#host = host;
    this.#call = call;
  }

  /** Ends the subscription, on `subscription.stop` or after the socket has closed. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#events?.stop();
  }

  async start(): Promise<void> {
    try {
      // Waits until the other messages of the same frame are handled. A stop among them cancels the
      // call, as with tRPC's own adapter.
      await undefined;
      if (this.#isCancelled) return this.#end();
      const events = await this.#host.call(this.#call);
      if (!isPushed(events)) throw new Error(`${this.#call.path} returned no PushedEvents.`);
      if (this.#isCancelled) {
        events.stop();
        return this.#end();
      }
      const sink = this.#host.openSink(this.#call);
      this.#events = events;
      events.push(sink, (failure) => {
        // The call ends after the frame with the stop is handled. Only a later frame may reuse the
        // call's id.
        queueMicrotask(() => this.#end(failure));
      });
    } catch (cause) {
      this.#host.remove(this.#call);
      this.#host.sendError(this.#call, cause);
    }
  }

  get #isCancelled(): boolean {
    return this.#isStopped || !this.#host.isOpen;
  }

  #end(failure?: unknown): void {
    this.#host.remove(this.#call);
    // A hub that stops closes the socket next. tRPC's client then subscribes on another server. It
    // would take an error, or the end of the subscription, for final.
    if (failure instanceof HubError && failure.code === "shutting_down") return;
    if (failure !== undefined) this.#host.sendError(this.#call, failure);
    this.#host.sendResult(this.#call, { type: "stopped" });
  }
}

const isPushed = (events: unknown): events is PushedEvents =>
  typeof (events as Partial<PushedEvents> | null)?.push === "function";
