import { setTimeout as sleep } from "node:timers/promises";
import { HUB, type Scenario } from "../runner/bench.ts";
import { takeTurns, watched } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import { clientGroupsOf, contendersOf, SOCKET_IO, startContender, TRPC, WS } from "./contenders.ts";

const names = [HUB, WS, SOCKET_IO, TRPC];
const named = (name: string) => ({ name });
const ROUNDS = 5;
/**
 * The pause after clients connect or leave, until presence events are sent, leases have expired and
 * empty rooms are closed.
 */
const SETTLE_MS = 4_500;
/** Connections that come and leave before the measurement, so that one-time allocations don't count. */
const FIRST_CONNECTIONS = 200;

/** Measures how much the server's memory grows for 5,000 idle clients. */
const idle: Scenario = {
  name: "B4 5,000 idle connections, memory",
  atMostSeconds: 480,
  async run(stage) {
    const { remote } = await clientGroupsOf(stage);
    const started = stage.isSmoke ? await contendersOf(stage, names) : [];
    const settle = () => sleep(stage.size(SETTLE_MS, 0));
    const count = stage.size(5_000, 20);
    const table = await takeTurns(stage, names.map(named), ROUNDS, async ({ name }) => {
      // Each sample uses a new server process, because a process seldom returns freed memory to the
      // system.
      const shared = started.find((contender) => contender.name === name);
      const server = shared ?? (await startContender(stage, name));
      const connect = async (connections: number) => {
        const rooms = { roomPrefix: "idle", roomSize: 500 };
        const order = { ...server.address, ...rooms, connections, concurrency: 32 };
        const { id } = await remote.connect(order);
        await settle();
        return id;
      };
      await remote.leave(await connect(stage.size(FIRST_CONNECTIONS, 2)));
      await settle();
      const before = await server.remote.residentBytes();
      const group = await connect(count);
      const rss = (await server.remote.residentBytes()) - before;
      await remote.leave(group);
      if (server !== shared) await server.kill();
      return { "RSS, MB": rss / 1e6, "RSS, KB each": rss / count / 1_000 };
    });
    return { table, goals: [ratioGoal(table, "RSS, MB", { of: HUB, to: SOCKET_IO, atMost: 1.5 })] };
  },
};

/** Clients connect, upgrade to WebSocket, join a room and receive its sync, 64 at a time. */
const storm: Scenario = {
  name: "B5 connect + subscribe + sync",
  atMostSeconds: 300,
  async run(stage) {
    const { remote, process: clientProcess } = await clientGroupsOf(stage);
    const count = stage.size(2_000, 20);
    const contenders = await contendersOf(stage, names);
    const rooms = { roomPrefix: "storm", roomSize: 50 };
    const table = await takeTurns(stage, contenders, ROUNDS, async ({ process, address }) => {
      const order = { ...address, ...rooms, connections: count, concurrency: 64 };
      const [{ id, times }, use] = await watched(
        process,
        () => remote.connect(order),
        clientProcess,
      );
      await remote.leave(id);
      await sleep(stage.size(SETTLE_MS, 0));
      return {
        "connects/s": count / use.seconds,
        "CPU µs/connect": (use.cpuMs * 1_000) / count,
        ...times,
        ...use.columns,
      };
    });
    const goal = { of: HUB, to: SOCKET_IO, atLeast: 0.85 };
    return { table, goals: [ratioGoal(table, "connects/s", goal)] };
  },
};

export const connections: Scenario[] = [idle, storm];
