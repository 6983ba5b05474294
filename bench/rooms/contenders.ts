import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadAnswer, LoadOrder } from "./load/load-protocol.ts";
import type { PeerAnswer, PeerOrder, PeerReady } from "./peers/peer-protocol.ts";
import type { RowTools } from "./row.ts";
import { startTalking, type TalkingProcess } from "./talking-process.ts";

const SERVER_CORE = 0;
const LOAD_CORE = 1;

const file = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

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
  /** How the load reaches it. */
  address: { dialect: Dialect; port: number; soulId: number };
}

/** Starts one of the servers, on the servers' core. */
export async function startContender(name: string, tools: RowTools): Promise<Contender> {
  const kind = kinds[name];
  if (!kind) throw new Error(`There is no ${name}.`);
  const args = name === HUB ? [await tools.newDatabase()] : [];
  const runtime = name === BUN ? bunProgram() : undefined;
  const server = startTalking<PeerOrder, PeerAnswer>(SERVER_CORE, file(kind.script), args, runtime);
  const { port, soulId = 0 } = await server.next<PeerReady>();
  const address = { dialect: kind.dialect, port, soulId };
  const stop = async () => {
    const exited = once(server.process, "exit");
    server.process.kill("SIGKILL");
    await exited;
  };
  return { name, process: server.process, order: server.ask, stop, address };
}

/** In the package of that name, which keeps it under this name on every system. */
const bunProgram = () =>
  fileURLToPath(new URL("bin/bun.exe", import.meta.resolve("bun/package.json")));

export type Load = TalkingProcess<LoadOrder, LoadAnswer>;

export const startLoad = (): Load =>
  startTalking(LOAD_CORE, fileURLToPath(new URL("./load/load-process.ts", import.meta.url)));
