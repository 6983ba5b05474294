/**
 * Simulates thousands of clients in rooms, in one process that executes orders of the benchmark.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { cpuWatch, executeOrders } from "../../processes/execute-orders.ts";
import { quantile } from "../../runner/quantile.ts";
import { Participant } from "./participant.ts";
import type {
  Latencies,
  ParticipantOrder,
  ParticipantResult,
  Place,
} from "./participant-orders.ts";

/** The number of clients that join at the same time. */
const CONCURRENT_JOINS = 100;

let participants: Participant[] = [];

async function join(places: Place[]): Promise<void> {
  const joining = places.map((place) => new Participant(place));
  participants.push(...joining);
  const waiting = [...joining];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await next.join();
  };
  await Promise.all(Array.from({ length: CONCURRENT_JOINS }, lane));
}

const rejoin = (selected: Participant[], withinMs: number) =>
  Promise.all(
    selected.map(async (participant) => {
      await sleep(Math.random() * withinMs);
      await participant.join();
    }),
  );

type Flicker = Extract<ParticipantOrder, { do: "flicker" }>;

async function flicker({ group, times, awayMs, graceMs }: Flicker): Promise<number> {
  let late = 0;
  const selected = participants.filter(({ place }) => place.group === group);
  await Promise.all(
    selected.map(async (participant) => {
      for (let n = 0; n < times; n++) {
        const cutAt = performance.now();
        participant.cut();
        await sleep(Math.random() * awayMs);
        await participant.join();
        if (performance.now() - cutAt > graceMs) late++;
      }
    }),
  );
  return late;
}

async function measureLatencies(seconds: number): Promise<ParticipantResult["latencies"]> {
  const latencies = new Map<string, number[]>();
  for (const participant of participants) {
    const { group } = participant.place;
    const own = latencies.get(group) ?? [];
    latencies.set(group, own);
    participant.onLatency = (ms) => void own.push(ms);
  }
  await sleep(seconds * 1_000);
  for (const participant of participants) participant.onLatency = undefined;
  return Object.fromEntries([...latencies].map(([group, taken]) => [group, spread(taken)]));
}

const spread = (taken: number[]): Latencies => ({
  count: taken.length,
  p50Ms: quantile(taken, 0.5),
  p95Ms: quantile(taken, 0.95),
  p99Ms: quantile(taken, 0.99),
});

function report(): ParticipantResult["states"] {
  const states: ParticipantResult["states"] = {};
  for (const { place, ids, faults, left } of participants) {
    states[place.group] ??= [];
    states[place.group]?.push({ messages: ids.length, faults, left });
  }
  return states;
}

async function execute(order: ParticipantOrder): Promise<Partial<ParticipantResult>> {
  if (order.do === "join") await join(order.places);
  else if (order.do === "return") await rejoin(participants, order.withinMs);
  else if (order.do === "flicker") return { late: await flicker(order) };
  else if (order.do === "measure") return { latencies: await measureLatencies(order.seconds) };
  else if (order.do === "report") return { states: report() };
  else for (const participant of participants) participant.cut();
  if (order.do === "leave") participants = [];
  return {};
}

executeOrders(async (order: ParticipantOrder): Promise<ParticipantResult> => {
  const start = performance.now();
  const cpu = cpuWatch();
  const found = await execute(order);
  const seconds = (performance.now() - start) / 1_000;
  return { latencies: {}, late: 0, states: {}, ...found, seconds, cpu: cpu() };
});
