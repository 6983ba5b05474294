import { setTimeout as sleep } from "node:timers/promises";
import type { ChatClient } from "../chat/load/load-protocol.ts";

export interface Call {
  method: "GET" | "POST" | "PUT";
  path: string;
  apiKey: string;
  body?: object;
}

/** Sends a call and returns the response's body. */
export async function send(url: string, { method, path: address, apiKey, body }: Call) {
  const response = await fetch(url + address, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  return (await response.json()) as { id: number };
}

/** Milliseconds from call to response of a period's writes, and the number of failed ones. */
export interface Period {
  p50: number;
  p99: number;
  max: number;
  writes: number;
  failures: number;
}

/** Writers that chat, like and publish, one call after the other each. */
export function startLoad(url: string, clients: ChatClient[]) {
  let latencies: number[] = [];
  let failures = 0;
  let isOver = false;
  const write = async ({ apiKey, ...room }: ChatClient) => {
    for (let n = 0; !isOver; n++) {
      const calls: Omit<Call, "apiKey">[] = [
        { method: "POST", path: "/api/chat", body: { ...room, content: "Is the lamp lit?" } },
        { method: "POST", path: "/api/like", body: { soul_id: room.soul_id } },
        { method: "POST", path: "/api/souls", body: { title: `Draft ${n}`, content: "I stay." } },
      ];
      const call = calls[n % calls.length];
      if (!call) continue;
      const started = performance.now();
      await send(url, { ...call, apiKey }).catch((error: Error) => {
        failures++;
        console.error(error.message);
      });
      latencies.push(performance.now() - started);
      await sleep(10);
    }
  };
  const writers = Promise.all(clients.map(write));
  return {
    /** Ends a period, and begins the next one. */
    endPeriod(): Period {
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
      const max = sorted.at(-1) ?? Number.NaN;
      const period = { p50: at(0.5), p99: at(0.99), max, writes: sorted.length, failures };
      latencies = [];
      failures = 0;
      return period;
    },
    async stop() {
      isOver = true;
      await writers;
    },
  };
}
