import type { IncomingMessage } from "node:http";
import type { AnyTRPCRouter, TRPCError } from "@trpc/server";
import type { DoorContext } from "../../context.ts";
import { proceduresOf } from "../../procedures.ts";
import { type RpcClient, RpcConnection } from "./rpc-connection.ts";

/** A WebSocket of the `ws` library, as far as it is needed here. */
interface RpcSocket extends RpcClient {
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): unknown;
  once(event: "close", listener: () => void): unknown;
}

export interface RpcHandlerOptions<Socket> {
  router: AnyTRPCRouter;
  maxBatchSize: number;
  onError: (failed: { error: TRPCError }) => void;
  createContext: (socket: Socket, params: Record<string, unknown>) => DoorContext;
}

/** Serves a router over WebSockets, in the place of tRPC's `getWSConnectionHandler`. */
export function rpcHandler<Socket extends RpcSocket>({
  createContext,
  ...shared
}: RpcHandlerOptions<Socket>) {
  const server = { ...shared, procedures: proceduresOf(shared.router) };
  return (socket: Socket, { url = "" }: Pick<IncomingMessage, "url">): void => {
    const contextOf = (params: Record<string, unknown>) => createContext(socket, params);
    const connection = new RpcConnection(server, socket, contextOf, expectsParams(url));
    socket.on("message", (data, isBinary) =>
      connection.hear(isBinary ? data : data.toString("utf8")),
    );
    socket.once("close", () => connection.leave());
  };
}

const expectsParams = (url: string): boolean =>
  url.includes("?") && new URL(url, "ws://hub").searchParams.get("connectionParams") === "1";
