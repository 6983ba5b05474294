import { connect, createServer, type Socket } from "node:net";

/** The traffic that the database proxy drops while its connections stay open. */
export type Dropped = "nothing" | "answers" | "everything";

/** Opens a TCP proxy in front of a database. The proxy can fail as a broken network does. */
export async function openDatabaseProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let dropped: Dropped = "nothing";
  let after = "";
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on("data", (data) => {
      if (after && data.includes(after)) dropped = "everything";
      if (dropped !== "everything") upstream.write(data);
    });
    upstream.on("data", (data) => void (dropped !== "nothing" || client.write(data)));
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket.on("error", () => undefined).on("close", () => peer.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const url = new URL(target);
  const address = server.address();
  url.hostname = "127.0.0.1";
  url.port = typeof address === "object" ? String(address?.port) : "";
  return {
    url: url.href,
    drop: (traffic: Dropped) => {
      dropped = traffic;
    },
    /** Drops everything from the first statement on that contains a text. */
    dropFrom: (text: string) => {
      after = text;
    },
    /** Closes all connections through the proxy. Statements that run on the database continue. */
    disconnect,
    [Symbol.asyncDispose]: async () => {
      disconnect();
      server.close();
    },
  };
}
