import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { LOAD_CORE, SERVER_CORE } from "../processes/start-process.ts";
import { startWorker, type WorkerProcess } from "../processes/worker-process.ts";
import { HUB } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import type { LoadAnswer, LoadOrder } from "./load/load-protocol.ts";
import type { PeerAnswer, PeerOrder, PeerReady } from "./peers/peer-protocol.ts";

export const WS = "ws, string made once";
export const SOCKET_IO = "socket.io room";
export const TRPC = "tRPC as its docs show";
export const BUN = "Bun publish";

type Connect = LoadOrder & { order: "connect" };

const kinds: Record<string, { script: string; dialect: Connect["dialect"] }> = {
  [HUB]: { script: "./peers/hub.peer.ts", dialect: "hub" },
  [WS]: { script: "./peers/ws.peer.ts", dialect: "plain" },
  [SOCKET_IO]: { script: "./peers/socket-io.peer.ts", dialect: "socketIo" },
  [TRPC]: { script: "./peers/trpc.peer.ts", dialect: "trpc" },
  [BUN]: { script: "./peers/bun.peer.ts", dialect: "plain" },
};

export interface Contender extends WorkerProcess<PeerOrder, PeerAnswer> {
  name: string;
  kill(): Promise<void>;
  /** How the load generator connects. */
  address: Pick<Connect, "dialect" | "port" | "soulId">;
}

/** Starts a server on the CPU core of servers. */
export const startContender = (stage: Stage, name: string): Promise<Contender> =>
  blame(name, async () => {
    const { script = "", dialect = "plain" } = kinds[name] ?? {};
    const server = startWorker<PeerOrder, PeerAnswer>(stage, new URL(script, import.meta.url), {
      core: SERVER_CORE,
      args: name === HUB ? [await stage.newDatabase()] : [],
      ...(name === BUN ? { runtime: bunProgram() } : {}),
    });
    const { port, soulId = 0 } = await server.next<PeerReady>();
    const kill = async () => {
      const exited = once(server.process, "exit");
      server.process.kill("SIGKILL");
      await exited;
    };
    return { ...server, name, kill, address: { dialect, port, soulId } };
  });

export const contenderOf = (stage: Stage, name: string): Promise<Contender> =>
  stage.share(name, () => startContender(stage, name));

/** The npm package `bun` names its binary `bun.exe` on every system. */
const bunProgram = () =>
  fileURLToPath(new URL("bin/bun.exe", import.meta.resolve("bun/package.json")));

/** Asks the load generator. The answer is an error if it has a failure. */
export type RoomLoad = (order: LoadOrder) => Promise<LoadAnswer>;

export const roomLoadOf = (stage: Stage): Promise<RoomLoad> =>
  stage.share("room load", async () => {
    const script = new URL("./load/load-process.ts", import.meta.url);
    const { ask } = startWorker<LoadOrder, LoadAnswer>(stage, script, { core: LOAD_CORE });
    return async (order) => {
      const answer = await ask(order);
      if (answer.failures.length > 0) throw new Error(answer.failures.join("; "));
      return answer;
    };
  });
