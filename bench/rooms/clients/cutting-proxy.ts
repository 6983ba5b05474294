import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of a server that simulates network failures: it drops open connections and
 * refuses new ones.
 */
export async function startCuttingProxy(port: number) {
  const open = new Set<Socket>();
  let isAway = false;
  let cuts = 0;
  const keep = (socket: Socket, other: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      open.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((near) => {
    if (isAway) return void near.resetAndDestroy();
    const far = connect({ port, host: "127.0.0.1", noDelay: true });
    keep(near, far);
    keep(far, near);
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** The number of connections that the proxy has dropped. */
    get cuts() {
      return cuts;
    },
    set isAway(away: boolean) {
      isAway = away;
      if (!away) return;
      cuts += open.size / 2;
      for (const socket of open) socket.resetAndDestroy();
    },
  };
}
