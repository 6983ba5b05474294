import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { SERVER_CORE } from "../processes/start-process.ts";
import { startWorker, type Worker } from "../processes/worker.ts";
import { HUB } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import type { Address, clientGroups } from "./clients/client-groups.ts";
import type { serveRoom } from "./peers/serve-room.ts";

export const WS = "ws, string made once";
export const SOCKET_IO = "socket.io room";
export const TRPC = "tRPC as its docs show";
export const BUN = "Bun publish";

const kinds: Record<string, { script: string; dialect: Address["dialect"] }> = {
  [HUB]: { script: "./peers/hub.peer.ts", dialect: "hub" },
  [WS]: { script: "./peers/ws.peer.ts", dialect: "plain" },
  [SOCKET_IO]: { script: "./peers/socket-io.peer.ts", dialect: "socketIo" },
  [TRPC]: { script: "./peers/trpc.peer.ts", dialect: "trpc" },
  [BUN]: { script: "./peers/bun.peer.ts", dialect: "plain" },
};

export interface Contender extends Worker<ReturnType<typeof serveRoom>> {
  name: string;
  address: Address;
  kill(): Promise<void>;
}

/** Starts a server on the CPU core of servers. */
export const startContender = (stage: Stage, name: string): Promise<Contender> =>
  blame(name, async () => {
    const { script = "", dialect = "plain" } = kinds[name] ?? {};
    const server: Worker<ReturnType<typeof serveRoom>> = startWorker(
      stage,
      new URL(script, import.meta.url),
      {
        core: SERVER_CORE,
        args: name === HUB ? [await stage.newDatabase()] : [],
        ...(name === BUN ? { runtime: bunProgram() } : {}),
      },
    );
    const address = await server.remote.address();
    const kill = async () => {
      const exited = once(server.process, "exit");
      server.process.kill("SIGKILL");
      await exited;
    };
    return { ...server, name, kill, address: { dialect, ...address } };
  });

/** Starts the contenders at the same time, each once per stage. */
export const contendersOf = (stage: Stage, names: string[]): Promise<Contender[]> =>
  Promise.all(names.map((name) => stage.share(name, () => startContender(stage, name))));

/** The npm package `bun` names its binary `bun.exe` on every system. */
const bunProgram = () =>
  fileURLToPath(new URL("bin/bun.exe", import.meta.resolve("bun/package.json")));

export const clientGroupsOf = (stage: Stage): Promise<Worker<typeof clientGroups>> =>
  stage.share("client groups", async () => {
    const script = new URL("./clients/client-groups.ts", import.meta.url);
    return startWorker<typeof clientGroups>(stage, script);
  });
