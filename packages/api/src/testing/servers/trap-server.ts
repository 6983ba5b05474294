import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export interface TrapServer extends AsyncDisposable {
  readonly port: number;
  /** Number of connections that the server has accepted. */
  readonly connections: number;
}

/**
 * Starts a server to which no client should connect. By default it listens on all local addresses.
 */
export async function startTrapServer(host?: string, port = 0): Promise<TrapServer> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    // A client that mistakes this server for its proxy gets 403. It then fails at once, instead of
    // retrying.
    socket.on("error", () => {}).end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, port: number, host?: string) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Without a host the server listens on all IPv4 and IPv6 addresses.
    server.listen(port, host, resolve);
  });
