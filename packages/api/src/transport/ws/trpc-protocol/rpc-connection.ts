import {
  type AnyTRPCRouter,
  callTRPCProcedure,
  getErrorShape,
  getTRPCErrorFromUnknown,
  TRPCError,
} from "@trpc/server";
import type { TRPCClientOutgoingMessage } from "@trpc/server/rpc";
import type { RequestContext } from "../../../context.ts";
import type { EventSink } from "../../../rooms/delivery/event-sink.ts";
import { inNewCall } from "../../../tracing/call-scope.ts";
import { callProcedure } from "../../../trpc/call-procedure.ts";
import type { Procedure, RouterConfig } from "../../../trpc/procedures.ts";
import type { WsConnection } from "../ws-connection.ts";
import {
  type Frame,
  isRejected,
  type RpcCall,
  type RpcRequest,
  readConnectionParams,
  readMessages,
  withLastEventId,
} from "./rpc-messages.ts";
import { RpcSubscription } from "./rpc-subscription.ts";

export interface RpcServerOptions {
  router: AnyTRPCRouter;
  maxBatchSize: number;
  onError: (failed: { error: TRPCError }) => void;
  createContext: (socket: WsConnection, params: Record<string, unknown>) => RequestContext;
}

/** The parts of a tRPC WebSocket server that all its connections share. */
interface RpcServer extends RpcServerOptions {
  config: RouterConfig;
  procedures: ReadonlyMap<string, Procedure>;
}

/**
 * The server's side of a connection in tRPC's WebSocket protocol. It sends the same messages as
 * tRPC's own adapter (`getWSConnectionHandler`, 11.25), with much less work (0020).
 * rpc-contract.test.ts compares both.
 */
export class RpcConnection {
  readonly #server: RpcServer;
  readonly #client: WsConnection;
  #context: RequestContext | undefined;
  /**
   * Set if the connectionParams were invalid. Every call then gets this error until the socket
   * closes.
   */
  #paramsError: TRPCError | undefined;
  readonly #subscriptions = new Map<RpcRequest["id"], RpcSubscription>();

  /** @param expectsParams true if the client's first frame carries connectionParams */
  constructor(server: RpcServer, client: WsConnection, expectsParams: boolean) {
    this.#server = server;
    this.#client = client;
    if (!expectsParams) this.#context = server.createContext(client, {});
  }

  get isOpen(): boolean {
    return this.#client.isOpen;
  }

  receive(frame: Frame): void {
    if (frame === "PONG") return;
    if (frame === "PING") this.#client.sendText("PONG");
    else if (this.#context || this.#paramsError) this.#receiveMessages(frame);
    else this.#receiveParams(frame);
  }

  #receiveMessages(frame: Frame): void {
    const { config, maxBatchSize } = this.#server;
    const read = readMessages(frame, config, maxBatchSize);
    if (!isRejected(read)) {
      this.#client.spendCalls(read.length - 1);
      for (const [batchIndex, message] of read.entries()) this.#dispatch(message, batchIndex);
      return;
    }
    const { error, requests, isReported } = read;
    this.#client.spendCalls(requests.length);
    if (isReported) this.#report(error);
    for (const request of requests.length > 0 ? requests : [{ id: null }]) {
      this.#sendErrorShape(request, error);
    }
  }

  #receiveParams(frame: Frame): void {
    try {
      const params = readConnectionParams(frame) ?? {};
      this.#context = this.#server.createContext(this.#client, params);
    } catch (cause) {
      this.#paramsError = getTRPCErrorFromUnknown(cause);
      this.#report(this.#paramsError);
      this.#sendErrorShape({ id: null }, this.#paramsError);
      setImmediate(() => this.#client.close());
    }
  }

  #dispatch(message: TRPCClientOutgoingMessage, batchIndex: number): void {
    const { id, jsonrpc } = message;
    if (id === null) {
      const error = new TRPCError({ code: "PARSE_ERROR", message: "`id` is required" });
      this.#report(error);
      this.#sendErrorShape({ id, jsonrpc }, error);
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
      else this.#respond(call).catch((cause) => this.#report(cause));
    }
  }

  #subscribe(call: RpcCall): void {
    if (this.#subscriptions.has(call.id)) {
      const message = `Duplicate id ${call.id}`;
      this.sendError(call, new TRPCError({ code: "BAD_REQUEST", message }));
      return;
    }
    const subscription = new RpcSubscription(this, call);
    this.#subscriptions.set(call.id, subscription);
    subscription.start().catch((cause) => this.#report(cause));
  }

  async #respond(call: RpcCall): Promise<void> {
    try {
      const data = await this.call(call);
      this.sendResult(call, { type: "data", data });
    } catch (cause) {
      this.sendError(call, cause);
    }
  }

  /** @throws TRPCError with the error of the procedure as its cause */
  call({ procedure, type, path, input, batchIndex }: RpcCall): Promise<unknown> {
    const ctx = this.#context;
    if (!ctx) return Promise.reject(this.#paramsError);
    const getRawInput = async () => input;
    const options = { ctx, type, path, signal: undefined, batchIndex, getRawInput };
    // tRPC's own caller creates the error for an unknown path.
    if (!procedure) return callTRPCProcedure({ ...options, router: this.#server.router });
    const { middlewares, meta } = procedure;
    const run = () => callProcedure(middlewares, { ...options, meta, input: undefined });
    // A subscription traces its own beginning.
    const tracer = type === "subscription" ? null : ctx.hub.tracer;
    const { requestId } = ctx;
    return inNewCall(tracer, { name: path, requestId, kind: "server" }, run);
  }

  openSink({ id, jsonrpc }: RpcCall): EventSink {
    return this.#client.openSink(`${JSON.stringify({ id, jsonrpc }).slice(0, -1)},"result":`);
  }

  sendResult({ id, jsonrpc }: RpcRequest, result: object): void {
    if (this.isOpen) this.#client.sendText(JSON.stringify({ id, jsonrpc, result }));
  }

  sendError(call: RpcCall, cause: unknown): void {
    const error = getTRPCErrorFromUnknown(cause);
    this.#report(error);
    this.#sendErrorShape(call, error);
  }

  #report(cause: unknown): void {
    this.#server.onError({ error: getTRPCErrorFromUnknown(cause) });
  }

  /**
   * Sends an error response. `request` has the type, path and input of a call only if they are
   * known.
   */
  #sendErrorShape(
    request: RpcRequest & Partial<Pick<RpcCall, "type" | "path" | "input">>,
    error: TRPCError,
  ): void {
    if (!this.isOpen) return;
    const { config } = this.#server;
    const { id, jsonrpc, type = "unknown", path, input } = request;
    const shape = getErrorShape({ config, error, type, path, input, ctx: this.#context });
    this.#client.sendText(JSON.stringify({ id, jsonrpc, error: shape }));
  }

  remove({ id }: RpcCall): void {
    this.#subscriptions.delete(id);
  }

  /** Stops all subscriptions. Called when the socket has closed. */
  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#subscriptions.clear();
  }
}
