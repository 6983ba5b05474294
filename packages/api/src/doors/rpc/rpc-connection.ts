import {
  type AnyTRPCRouter,
  callTRPCProcedure,
  getErrorShape,
  getTRPCErrorFromUnknown,
  TRPCError,
} from "@trpc/server";
import type { TRPCClientOutgoingMessage } from "@trpc/server/rpc";
import { climbLadder } from "../../climb-ladder.ts";
import type { DoorContext } from "../../context.ts";
import type { Procedure } from "../../procedures.ts";
import type { RpcCall } from "./rpc-call.ts";
import {
  type Asked,
  type Frame,
  isRefused,
  readConnectionParams,
  readMessages,
  withLastEventId,
} from "./rpc-messages.ts";
import { RpcSubscription } from "./rpc-subscription.ts";

/** What all connections have in common. */
export interface RpcServer {
  router: AnyTRPCRouter;
  procedures: ReadonlyMap<string, Procedure>;
  maxBatchSize: number;
  onError: (failed: { error: TRPCError }) => void;
}

/** The client, as far as its connection must know it. */
export interface RpcClient {
  readonly isOpen: boolean;
  /** A text message, after everything that has happened before it. */
  say(text: string): void;
  close(): void;
}

type Params = Record<string, unknown>;

/** Until it is known what was called. */
const UNKNOWN = { type: "unknown", path: undefined, input: undefined } as const;

/**
 * One client that speaks tRPC's WebSocket protocol, served as tRPC's own adapter serves it
 * (`getWSConnectionHandler`, 11.25) and with the same words, for much less work (docs/decisions/0020).
 */
export class RpcConnection {
  readonly #server: RpcServer;
  readonly #client: RpcClient;
  readonly #createContext: (params: Params) => DoorContext;
  #context: DoorContext | undefined;
  /** Its connectionParams were no good: it is told so, whatever it asks, until it is gone. */
  #refusal: TRPCError | undefined;
  readonly #subscriptions = new Map<Asked["id"], RpcSubscription>();

  /** @param expectsParams they are the first thing that is said */
  constructor(
    server: RpcServer,
    client: RpcClient,
    createContext: (params: Params) => DoorContext,
    expectsParams: boolean,
  ) {
    this.#server = server;
    this.#client = client;
    this.#createContext = createContext;
    if (!expectsParams) this.#context = createContext({});
  }

  get isOpen(): boolean {
    return this.#client.isOpen;
  }

  hear(frame: Frame): void {
    if (frame === "PONG") return;
    if (frame === "PING") this.#client.say("PONG");
    else if (this.#context || this.#refusal) this.#read(frame);
    else this.#meet(frame);
  }

  #read(frame: Frame): void {
    const read = readMessages(frame, this.#server.router, this.#server.maxBatchSize);
    if (!isRefused(read)) {
      for (const [batchIndex, message] of read.entries()) this.#take(message, batchIndex);
      return;
    }
    const { error, asked, isReported } = read;
    if (isReported) this.report(error);
    for (const each of asked.length > 0 ? asked : [{ id: null }]) this.#sayError(each, error);
  }

  #meet(frame: Frame): void {
    try {
      this.#context = this.#createContext(readConnectionParams(frame) ?? {});
    } catch (cause) {
      this.#refusal = getTRPCErrorFromUnknown(cause);
      this.report(this.#refusal);
      this.#sayError({ id: null }, this.#refusal);
      setImmediate(() => this.#client.close());
    }
  }

  #take(message: TRPCClientOutgoingMessage, batchIndex: number): void {
    const { id, jsonrpc } = message;
    if (id === null) {
      const error = new TRPCError({ code: "PARSE_ERROR", message: "`id` is required" });
      this.report(error);
      this.#sayError({ id, jsonrpc }, error);
    } else if (message.method === "subscription.stop") {
      this.#subscriptions.get(id)?.stop();
    } else {
      const { method: type, params } = message;
      const { path } = params;
      const named = this.#server.procedures.get(path);
      const procedure = named?.type === type ? named : undefined;
      const input = withLastEventId(params.input, params.lastEventId);
      const call = { id, jsonrpc, type, path, input, batchIndex, procedure };
      if (type === "subscription") this.#subscribe(call);
      else this.#answer(call).catch((cause) => this.report(cause));
    }
  }

  #subscribe(call: RpcCall): void {
    if (this.#subscriptions.has(call.id)) {
      const message = `Duplicate id ${call.id}`;
      this.fail(call, new TRPCError({ code: "BAD_REQUEST", message }));
      return;
    }
    const subscription = new RpcSubscription(this, call);
    this.#subscriptions.set(call.id, subscription);
    subscription.start().catch((cause) => this.report(cause));
  }

  async #answer(call: RpcCall): Promise<void> {
    try {
      const data = await this.call(call, undefined);
      this.result(call, { type: "data", data });
    } catch (cause) {
      this.fail(call, cause);
    }
  }

  /** @throws what the procedure throws, as a TRPCError */
  call(call: RpcCall, signal: AbortSignal | undefined): Promise<unknown> {
    const { procedure, type, path, input, batchIndex } = call;
    const ctx = this.#context;
    if (!ctx) return Promise.reject(this.#refusal);
    const getRawInput = async () => input;
    const climb = { ctx, type, path, signal, batchIndex, getRawInput };
    // tRPC says itself what it thinks of a name it doesn't know.
    if (!procedure) return callTRPCProcedure({ ...climb, router: this.#server.router });
    const { middlewares, meta } = procedure;
    return climbLadder(middlewares, { ...climb, meta, input: undefined });
  }

  /** What stands before each result of this call; `}` stands behind it. */
  wordingOf({ id, jsonrpc }: Asked): string {
    return `${JSON.stringify({ id, jsonrpc }).slice(0, -1)},"result":`;
  }

  result({ id, jsonrpc }: Asked, result: object): void {
    if (this.isOpen) this.#client.say(JSON.stringify({ id, jsonrpc, result }));
  }

  fail(call: RpcCall, cause: unknown): void {
    const error = getTRPCErrorFromUnknown(cause);
    this.report(error);
    this.#sayError(call, error, call);
  }

  report(cause: unknown): void {
    this.#server.onError({ error: getTRPCErrorFromUnknown(cause) });
  }

  #sayError(
    { id, jsonrpc }: Asked,
    error: TRPCError,
    { type, path, input }: Pick<RpcCall, "type" | "path" | "input"> | typeof UNKNOWN = UNKNOWN,
  ): void {
    if (!this.isOpen) return;
    const config = this.#server.router._def._config;
    const shape = getErrorShape({ config, error, type, path, input, ctx: this.#context });
    this.#client.say(JSON.stringify({ id, jsonrpc, error: shape }));
  }

  /** Its id may be used again. */
  forget({ id }: RpcCall): void {
    this.#subscriptions.delete(id);
  }

  /** The client is gone. */
  leave(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#subscriptions.clear();
  }
}
