import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * The range of ports that tests choose from. Linux chooses the source ports of connections from
 * 32,768 on. In that range, a client that retries could occupy the port of a server that restarts.
 */
const PORTS = { min: 15_000, max: 32_768 };

/** Returns a TCP port that is free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
