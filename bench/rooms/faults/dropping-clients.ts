/**
 * Clients of packages/client behind a proxy that repeatedly drops their connections. The benchmark
 * sends the hub's port, and later the order to end. The process then reports the messages of each
 * client.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createHubClient, type JoinedRoom, joinRoom } from "@soul-hub/client";
import { startCuttingProxy } from "./cutting-proxy.ts";
import type { DropsOrder, DropsReport } from "./dropping-orders.ts";

async function run({ port, rooms, clients, awayMs, betweenMs }: DropsOrder) {
  const network = await startCuttingProxy(port);
  const hub = `http://127.0.0.1:${network.port}`;
  const joined: JoinedRoom[] = Array.from({ length: clients }, (_, n) => {
    // Each call of `createHubClient` creates a client with a socket of its own.
    const { client } = createHubClient({ baseUrl: hub });
    return joinRoom({ client, ...(rooms[n % rooms.length] ?? { soul_id: 0, session_token: "" }) });
  });
  const states = () => joined.map((room) => room.getSnapshot());
  const allLive = async () => {
    while (states().some(({ connection }) => connection !== "live")) await sleep(50);
  };
  await allLive();
  process.send?.("joined");
  let isOver = false;
  let drops = 0;
  process.on("message", (word) => {
    if (word === "end") isOver = true;
  });
  while (!isOver) {
    network.isAway = true;
    drops++;
    await sleep(awayMs);
    network.isAway = false;
    await sleep(betweenMs);
  }
  const before = performance.now();
  await allLive();
  // The last messages of the rooms may still be in transit, so the report waits for them.
  await sleep(2_000);
  const report: DropsReport = {
    drops,
    cuts: network.cuts,
    lastBackMs: performance.now() - before,
    via: states().map(({ via }) => via),
    held: states().map(({ messages }) => messages.map(({ id }) => id)),
  };
  process.send?.(report);
}

process.once("message", (order: DropsOrder) => void run(order));
// The process of the clients exits when the benchmark ends.
process.on("disconnect", () => process.exit());
