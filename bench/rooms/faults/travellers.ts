/**
 * People who come with packages/client through a network that is away for a while, again and again.
 * The bench says where to, then that it is over; they answer with the messages that each of them holds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createHubClient, type JoinedRoom, joinRoom } from "@soul-hub/client";
import { startCuttingProxy } from "./cutting-proxy.ts";
import type { Journey, TravelReport } from "./travel-orders.ts";

async function travel({ port, rooms, travellers, awayMs, betweenMs }: Journey) {
  const network = await startCuttingProxy(port);
  const hub = `http://127.0.0.1:${network.port}`;
  const joined: JoinedRoom[] = Array.from({ length: travellers }, (_, n) => {
    // A socket each, as of people in different places.
    const { client } = createHubClient({ baseUrl: hub });
    return joinRoom({ client, ...(rooms[n % rooms.length] ?? { soul_id: 0, session_token: "" }) });
  });
  const states = () => joined.map((room) => room.getSnapshot());
  const allLive = async () => {
    while (states().some(({ connection }) => connection !== "live")) await sleep(50);
  };
  await allLive();
  process.send?.("arrived");
  let isOver = false;
  let drops = 0;
  process.on("message", (word) => {
    if (word === "over") isOver = true;
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
  // What was written last is on its way.
  await sleep(2_000);
  const report: TravelReport = {
    drops,
    cuts: network.cuts,
    lastBackMs: performance.now() - before,
    via: states().map(({ via }) => via),
    held: states().map(({ messages }) => messages.map(({ id }) => id)),
  };
  process.send?.(report);
}

process.once("message", (journey: Journey) => void travel(journey));
// Ends with the bench, however that ends.
process.on("disconnect", () => process.exit());
