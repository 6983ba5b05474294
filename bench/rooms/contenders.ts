import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startWorker, type WorkerProcess } from "../worker-process.ts";
import type { LoadAnswer, LoadOrder } from "./load/load-protocol.ts";
import type { PeerAnswer, PeerOrder, PeerReady } from "./peers/peer-protocol.ts";
import type { RowTools } from "./row.ts";

const SERVER_CORE = 0;
const LOAD_CORE = 1;

export const HUB = "Soul Hub";
export const WS = "ws, string made once";
export const SOCKET_IO = "socket.io room";
export const TRPC = "tRPC as its docs show";
export const BUN = "Bun publish";

type Dialect = (LoadOrder & { order: "connect" })["dialect"];

const kinds: Record<string, { script: string; dialect: Dialect }> = {
  [HUB]: { script: "./peers/hub.peer.ts", dialect: "hub" },
  [WS]: { script: "./peers/ws.peer.ts", dialect: "plain" },
  [SOCKET_IO]: { script: "./peers/socket-io.peer.ts", dialect: "socketIo" },
  [TRPC]: { script: "./peers/trpc.peer.ts", dialect: "trpc" },
  [BUN]: { script: "./peers/bun.peer.ts", dialect: "plain" },
};

export interface Contender {
  name: string;
  process: ChildProcess;
  order(order: PeerOrder): Promise<PeerAnswer>;
  stop(): Promise<void>;
  /**
   * The server's port, wire protocol and soul, which the load generator needs in order to connect.
   */
  address: { dialect: Dialect; port: number; soulId: number };
}

/** Starts a server on the CPU core that is reserved for servers. */
export async function startContender(name: string, tools: RowTools): Promise<Contender> {
  const kind = kinds[name];
  if (!kind) throw new Error(`There is no ${name}.`);
  const args = name === HUB ? [await tools.newDatabase()] : [];
  const script = new URL(kind.script, import.meta.url);
  const server = startWorker<PeerOrder, PeerAnswer>(SERVER_CORE, script, {
    args,
    ...(name === BUN ? { runtime: bunProgram() } : {}),
  });
  const { port, soulId = 0 } = await server.next<PeerReady>();
  const address = { dialect: kind.dialect, port, soulId };
  const stop = async () => {
    const exited = once(server.process, "exit");
    server.process.kill("SIGKILL");
    await exited;
  };
  return { name, process: server.process, order: server.ask, stop, address };
}

/** The npm package `bun` names its binary `bun.exe` on every system. */
const bunProgram = () =>
  fileURLToPath(new URL("bin/bun.exe", import.meta.resolve("bun/package.json")));

export type Load = WorkerProcess<LoadOrder, LoadAnswer>;

export const startLoad = (): Load =>
  startWorker(LOAD_CORE, new URL("./load/load-process.ts", import.meta.url));
