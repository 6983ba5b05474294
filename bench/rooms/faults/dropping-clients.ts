/**
 * Clients of packages/client behind a proxy that repeatedly drops their connections. The first order
 * lets them join. The second one ends the drops, and returns the messages of each client.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createHubClient, type JoinedRoom, joinRoom } from "@soul-hub/client";
import type { RoomName } from "../../processes/chat-hub.ts";
import { executeOrders } from "../../processes/execute-orders.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

export interface DropsOrder {
  port: number;
  rooms: RoomName[];
  clients: number;
  awayMs: number;
  betweenMs: number;
}

export interface DropsReport {
  drops: number;
  /** The number of connections that the proxy has dropped. */
  cuts: number;
  /** The transport that each client uses when the benchmark ends. */
  via: string[];
  /** The ids of the messages that each client has. Client n is in room n modulo the number of rooms. */
  held: number[][];
}

const SETTLE_MS = 2_000;

let end: (() => Promise<DropsReport>) | undefined;

async function begin({ port, rooms, clients, awayMs, betweenMs }: DropsOrder): Promise<void> {
  const network = await startCuttingProxy(port);
  const baseUrl = `http://127.0.0.1:${network.port}`;
  const joined: JoinedRoom[] = Array.from({ length: clients }, (_, n) => {
    // Each call of `createHubClient` creates a client with a socket of its own.
    const { client } = createHubClient({ baseUrl });
    return joinRoom({ client, ...(rooms[n % rooms.length] ?? { soul_id: 0, session_token: "" }) });
  });
  const states = () => joined.map((room) => room.getSnapshot());
  const allLive = async () => {
    while (states().some(({ connection }) => connection !== "live")) await sleep(50);
  };
  await allLive();
  let isOver = false;
  let drops = 0;
  const drop = async () => {
    while (!isOver) {
      network.isAway = true;
      drops++;
      await sleep(awayMs);
      network.isAway = false;
      await sleep(betweenMs);
    }
  };
  const dropping = drop();
  end = async () => {
    isOver = true;
    await dropping;
    await allLive();
    // The last messages of the rooms may still be in transit, so the report waits for them.
    await sleep(SETTLE_MS);
    return {
      drops,
      cuts: network.cuts,
      via: states().map(({ via }) => via),
      held: states().map(({ messages }) => messages.map(({ id }) => id)),
    };
  };
}

executeOrders((order: DropsOrder | { end: true }) => ("end" in order ? end?.() : begin(order)));
