import { setTimeout as pause } from "node:timers/promises";
import { HUB, type Scenario } from "../runner/bench.ts";
import { takeTurns, watched } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import {
  type Contender,
  contenderOf,
  roomLoadOf,
  SOCKET_IO,
  startContender,
  TRPC,
  WS,
} from "./contenders.ts";

const names = [HUB, WS, SOCKET_IO, TRPC];
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
    const load = await roomLoadOf(stage);
    const connections = stage.size(5_000, 20);
    // Each sample uses a new server process, because a process seldom returns freed memory to the
    // system.
    const start = stage.size(startContender, contenderOf);
    const contenders = names.map((name) => ({ name }));
    const table = await takeTurns(stage, contenders, ROUNDS, async ({ name }) => {
      const contender = await start(stage, name);
      const connect = async (count: number) => {
        const { groupId } = await load({
          order: "connect",
          ...contender.address,
          connections: count,
          concurrency: 32,
          roomPrefix: "idle",
          roomSize: 500,
        });
        await pause(stage.size(SETTLE_MS, 0));
        return groupId;
      };
      const leave = async (groupId: number) => {
        await load({ order: "leave", groupId });
        await pause(stage.size(SETTLE_MS, 0));
      };
      await leave(await connect(stage.size(FIRST_CONNECTIONS, 2)));
      const before = await contender.ask({ order: "weigh" });
      const groupId = await connect(connections);
      const after = await contender.ask({ order: "weigh" });
      await load({ order: "leave", groupId });
      if (!stage.isSmoke) await contender.kill();
      const rss = after.rssBytes - before.rssBytes;
      return {
        "RSS, MB": rss / 1e6,
        "RSS, KB each": rss / connections / 1_000,
        "heap and buffers, KB each": (after.heldBytes - before.heldBytes) / connections / 1_000,
      };
    });
    return { table, goals: [ratioGoal(table, "RSS, MB", { of: HUB, to: SOCKET_IO, atMost: 1.5 })] };
  },
};

/** Clients connect, upgrade to WebSocket, join a room and receive its sync, 64 at a time. */
const storm: Scenario = {
  name: "B5 connect + subscribe + sync",
  atMostSeconds: 300,
  async run(stage) {
    const load = await roomLoadOf(stage);
    const connections = stage.size(2_000, 20);
    const contenders: Contender[] = [];
    for (const name of names) contenders.push(await contenderOf(stage, name));
    const table = await takeTurns(stage, contenders, ROUNDS, async ({ process, address }) => {
      const [came, { cpuMs }] = await watched(process, () =>
        load({
          order: "connect",
          ...address,
          connections,
          concurrency: 64,
          roomPrefix: "storm",
          roomSize: 50,
        }),
      );
      await load({ order: "leave", groupId: came.groupId });
      await pause(stage.size(SETTLE_MS, 0));
      return {
        "connects/s": connections / came.seconds,
        "CPU µs/connect": (cpuMs * 1_000) / connections,
        "p50 ms": came.p50Ms,
        "p99 ms": came.p99Ms,
        "server CPU %": cpuMs / came.seconds / 10,
        "client CPU %": (came.cpuSeconds / came.seconds) * 100,
      };
    });
    const goal = { of: HUB, to: SOCKET_IO, atLeast: 0.85 };
    return { table, goals: [ratioGoal(table, "connects/s", goal)] };
  },
};

export const connections: Scenario[] = [idle, storm];
