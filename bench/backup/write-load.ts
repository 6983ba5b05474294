import { setTimeout as sleep } from "node:timers/promises";
import type { ChatClient } from "../processes/chat-hub.ts";
import { actorOf, ok } from "../processes/member.ts";
import type { Values } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";
import type { Stage } from "../runner/stage.ts";

/** Writers that chat, like and publish, one call after the other each. */
export function startWrites(stage: Stage, url: string, clients: ChatClient[]) {
  let latencies: number[] = [];
  const faults: string[] = [];
  let isOver = false;
  const write = async ({ apiKey, ...room }: ChatClient) => {
    const client = actorOf(url, "writer", apiKey);
    for (let n = 0; !isOver; n++) {
      const calls = [
        () => client.post("/api/chat", { ...room, content: "Is the lamp lit?" }),
        () => client.post("/api/like", { soul_id: room.soul_id }),
        () => client.post("/api/souls", { title: `Draft ${n}`, content: "I stay." }),
      ];
      for (const call of calls) {
        const started = performance.now();
        await ok(call()).catch((error: Error) => faults.push(`a write failed: ${error.message}`));
        latencies.push(performance.now() - started);
        await sleep(stage.size(10, 100));
      }
    }
  };
  const writers = Promise.all(clients.map(write));
  return {
    /** Ends a period, and begins the next one. Returns the latencies of its writes. */
    endPeriod(): Values {
      const taken = latencies;
      latencies = [];
      return {
        writes: taken.length,
        "p50 ms": quantile(taken, 0.5),
        "p99 ms": quantile(taken, 0.99),
        "max ms": quantile(taken, 1),
      };
    },
    /** @returns the failed writes of all periods */
    async stop(): Promise<string[]> {
      isOver = true;
      await writers;
      return faults;
    },
  };
}
