/** Clients of packages/client behind a proxy that repeatedly drops their connections. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RoomName } from "@soul-hub/api/testing";
import { createHubClient, type JoinedRoom, joinRoom } from "@soul-hub/client";
import { answerCalls } from "../../processes/answer-calls.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

const SETTLE_MS = 2_000;

let joined: JoinedRoom[] = [];
let network: Awaited<ReturnType<typeof startCuttingProxy>> | undefined;
let dropping: Promise<number> | undefined;
let isOver = false;

const states = () => joined.map((room) => room.getSnapshot());

async function allLive(): Promise<void> {
  while (states().some(({ connection }) => connection !== "live")) await sleep(50);
}

export const droppingClients = {
  /** Clients join. Client n is in room n modulo the number of rooms. Then the drops begin. */
  async join(port: number, rooms: RoomName[], clients: number, awayMs: number, betweenMs: number) {
    const proxy = await startCuttingProxy(port);
    network = proxy;
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    joined = Array.from({ length: clients }, (_, n) => {
      // Each call of `createHubClient` creates a client with a socket of its own.
      const { client } = createHubClient({ baseUrl });
      return joinRoom({
        client,
        ...(rooms[n % rooms.length] ?? { soul_id: 0, session_token: "" }),
      });
    });
    await allLive();
    dropping = (async () => {
      let drops = 0;
      for (; !isOver; drops++) {
        proxy.isAway = true;
        await sleep(awayMs);
        proxy.isAway = false;
        await sleep(betweenMs);
      }
      return drops;
    })();
  },

  /** Ends the drops. Returns the ids of each client's messages, when all clients are live again. */
  async end() {
    isOver = true;
    const drops = await dropping;
    await allLive();
    // The last messages of the rooms may still be in transit.
    await sleep(SETTLE_MS);
    return {
      drops: drops ?? 0,
      cuts: network?.cuts ?? 0,
      bySocket: states().filter(({ via }) => via === "socket").length,
      held: states().map(({ messages }) => messages.map(({ id }) => id)),
    };
  },
};
answerCalls(droppingClients);
