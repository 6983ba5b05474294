import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export interface TrapServer extends AsyncDisposable {
  readonly port: number;
  /** How often anybody connected. */
  readonly connections: number;
}

/** Listens where nobody should ever come, on every address of this machine unless told otherwise. */
export async function startTrapServer(host?: string, port = 0): Promise<TrapServer> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
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
    // Without a host: all of IPv4 and, where there is one, IPv6.
    server.listen(port, host, resolve);
  });
