/** Asks for `/healthz` without a pause, in a process of its own. */
import { setTimeout as sleep } from "node:timers/promises";
import { answerCalls } from "../processes/answer-calls.ts";
import { actorOf, ok } from "../processes/member.ts";

const PAUSE_MS = 5;
let isOver = true;
let worst = 0;
let probing = Promise.resolve();

async function probe(url: string): Promise<void> {
  const guest = actorOf(url, "guest");
  while (!isOver) {
    const start = performance.now();
    await ok(guest.get("/healthz"));
    worst = Math.max(worst, performance.now() - start);
    await sleep(PAUSE_MS);
  }
}

const healthProbe = {
  begin(url: string): void {
    [isOver, worst] = [false, 0];
    probing = probe(url);
  },
  /** Returns the longest time in milliseconds. */
  async end(): Promise<number> {
    isOver = true;
    await probing;
    return worst;
  },
};
export type HealthProbe = typeof healthProbe;

answerCalls(healthProbe);
