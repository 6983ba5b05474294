import type { IncomingMessage } from "node:http";
import { configOf, proceduresOf } from "../../../trpc/procedures.ts";
import type { WsConnection } from "../ws-connection.ts";
import { RpcConnection, type RpcServerOptions } from "./rpc-connection.ts";

interface RpcHandlerOptions extends RpcServerOptions {
  /** Called before a frame is parsed. If it returns false, the frame is dropped. */
  admitFrame: (socket: WsConnection, bytes: number) => boolean;
}

/** Serves a router over WebSockets in place of tRPC's `getWSConnectionHandler` (0020). */
export function rpcHandler({ admitFrame, ...options }: RpcHandlerOptions) {
  const { router } = options;
  const server = { ...options, config: configOf(router), procedures: proceduresOf(router) };
  return (socket: WsConnection, { url = "" }: Pick<IncomingMessage, "url">): void => {
    const connection = new RpcConnection(server, socket, expectsParams(url));
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (!admitFrame(socket, data.length)) return;
      connection.receive(isBinary ? data : data.toString("utf8"));
    });
    socket.once("close", () => connection.close());
  };
}

const expectsParams = (url: string): boolean =>
  url.includes("?") && new URL(url, "ws://hub").searchParams.get("connectionParams") === "1";
