import { isTrackedEnvelope, type TRPCError } from "@trpc/server";
import type { PushedEvents } from "../../context.ts";
import type { RpcCall } from "./rpc-call.ts";

/** The connection that it came in on. */
interface Host {
  readonly isOpen: boolean;
  call(call: RpcCall, signal: AbortSignal | undefined): Promise<unknown>;
  /** What stands before each result of the call; `}` stands behind it. */
  wordingOf(call: RpcCall): string;
  result(call: RpcCall, result: object): void;
  fail(call: RpcCall, cause: unknown): void;
  /** Without telling the client. */
  report(cause: unknown): void;
  /** The id of the call may be used again. */
  forget(call: RpcCall): void;
}

/** One subscription of a socket, from its call to its `stopped`. */
export class RpcSubscription {
  readonly #host: Host;
  readonly #call: RpcCall;
  /** For those that are asked for each event; what pushes is told by its `stop`. */
  readonly #abort: AbortController | undefined;
  #isStopped = false;
  #source: { stop(): void } | undefined;

  constructor(host: Host, call: RpcCall) {
    this.#host = host;
    this.#call = call;
    this.#abort = call.procedure?.meta?.pushes ? undefined : new AbortController();
  }

  /** The client wants no more, or is gone. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#abort?.abort();
    this.#source?.stop();
  }

  async start(): Promise<void> {
    try {
      // Whoever stops it in the same frame has not asked for it.
      await undefined;
      if (this.#isGone) {
        this.#end();
        return;
      }
      const events = await this.#host.call(this.#call, this.#abort?.signal);
      if (isPushed(events)) this.#push(events);
      else if (isAsyncIterable(events)) await this.#pull(events[Symbol.asyncIterator]());
      else throw new Error(`${this.#call.path} gives no events.`);
    } catch (cause) {
      this.#host.forget(this.#call);
      const isCancelled = this.#isStopped && isAbort((cause as TRPCError).cause);
      if (isCancelled) this.#end();
      else this.#host.fail(this.#call, cause);
    }
  }

  get #isGone(): boolean {
    return this.#isStopped || !this.#host.isOpen;
  }

  #push(events: PushedEvents): void {
    if (this.#isGone) {
      events.stop();
      this.#end();
      return;
    }
    this.#source = events;
    events.push(this.#host.wordingOf(this.#call), (failure) => {
      // Not in the turn of a stop: to what came with it, the id is still taken.
      queueMicrotask(() => this.#end(failure));
    });
  }

  async #pull(events: AsyncIterator<unknown>): Promise<void> {
    const leave = () => events.return?.();
    if (this.#isGone) {
      await leave();
      this.#end();
      return;
    }
    this.#host.result(this.#call, { type: "started" });
    this.#source = { stop: () => void leave()?.catch((cause) => this.#report(cause)) };
    let failure: unknown;
    try {
      for (;;) {
        const { done, value } = await events.next();
        if (done || this.#isStopped) break;
        this.#host.result(this.#call, resultOf(value));
      }
    } catch (cause) {
      if (this.#isStopped) this.#report(cause);
      else failure = cause;
    }
    this.#end(failure);
  }

  #report(cause: unknown): void {
    if (!isAbort(cause)) this.#host.report(cause);
  }

  #end(failure?: unknown): void {
    this.#host.forget(this.#call);
    if (failure !== undefined) this.#host.fail(this.#call, failure);
    this.#host.result(this.#call, { type: "stopped" });
  }
}

/** A tracked event has its id twice: for tRPC's client, and for whoever subscribes. */
function resultOf(value: unknown) {
  if (!isTrackedEnvelope(value)) return { type: "data", data: value };
  const [id, data] = value;
  return { type: "data", data: { id, data }, id };
}

const isPushed = (events: unknown): events is PushedEvents =>
  typeof (events as Partial<PushedEvents> | null)?.push === "function";

const isAsyncIterable = (events: unknown): events is AsyncIterable<unknown> =>
  typeof (events as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === "function";

const isAbort = (cause: unknown): boolean => cause instanceof Error && cause.name === "AbortError";
