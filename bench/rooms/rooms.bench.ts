import type { Bench } from "../runner/bench.ts";
import { broadcasts } from "./broadcasts.ts";
import { connections } from "./connections.ts";
import { cutAtOnce } from "./cut-at-once.ts";
import { drops } from "./drops.ts";
import { polling } from "./polling.ts";
import { presence } from "./presence.ts";
import { slowReaders } from "./slow-readers.ts";
import { twoServers } from "./two-servers.ts";

/** How do live rooms compare with socket.io, ws, tRPC and Bun, and what do they survive? */
export const bench: Bench = {
  isolates: true,
  scenarios: [
    ...broadcasts,
    ...connections,
    cutAtOnce,
    drops,
    slowReaders,
    presence,
    polling,
    twoServers,
  ],
};
