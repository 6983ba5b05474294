import type { Server } from "node:http";
import type { Socket } from "node:net";
import { compile } from "@fastify/proxy-addr";
import type { Counter } from "prom-client";
import { addressBlock } from "../../caller/guest-id.ts";
import { AddressCounts } from "../address-counts.ts";

/**
 * Limit of open connections per address block. The browsers and WebSockets of one household need
 * far less.
 */
const MAX_PER_ADDRESS = 256;
/** One address block never takes more than this share of the limit of all connections. */
const MAX_SHARE = 0.25;

export interface ConnectionLimits {
  /** Limit of the open connections of all clients. Further connections are closed at once. */
  max: number;
  /** False removes the limit of connections per address block. */
  limitsAddresses: boolean;
  /**
   * Trusted proxies, whose connections carry the requests of many clients. Only `max` applies to
   * them.
   */
  trustProxy: string[];
  /** A counter of the connections that were closed because of a limit. */
  refused: Counter;
}

/**
 * Limits the open connections, per address block and in total. Idle connections and WebSockets
 * count, too.
 */
export function limitConnections(
  server: Server,
  { max, limitsAddresses, trustProxy, refused }: ConnectionLimits,
): void {
  server.maxConnections = max;
  server.on("drop", () => refused.inc());
  if (!limitsAddresses) return;
  const maxPerAddress = Math.max(1, Math.min(MAX_PER_ADDRESS, Math.floor(max * MAX_SHARE)));
  const isTrusted = compile(trustProxy);
  const open = new AddressCounts();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isTrusted(remoteAddress, 0)) return;
    const address = addressBlock(remoteAddress);
    if (open.of(address) >= maxPerAddress) {
      refused.inc();
      socket.destroy();
      return;
    }
    open.add(address, 1);
    socket.once("close", () => open.add(address, -1));
  });
}
