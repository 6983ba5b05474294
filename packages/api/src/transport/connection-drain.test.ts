import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createConnectionDrain } from "./connection-drain.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Simulates a stopping server's connections, which are asked to reconnect. Each closes `ms`
 * milliseconds after that, or never without `ms`.
 */
function connections(count: number, ms?: number) {
  const members = new Set(Array.from({ length: count }, (_, n) => n));
  const askedAt: number[] = [];
  const begin = performance.now();
  const ask = (member: number) => {
    askedAt.push(performance.now() - begin);
    if (ms !== undefined) setTimeout(() => members.delete(member), ms);
  };
  return { askedAt, group: { members: () => members, ask } };
}

async function connectionDrain(isPatient: boolean, ...groups: ReturnType<typeof connections>[]) {
  const connectionDrain = createConnectionDrain(isPatient);
  for (const { group } of groups) connectionDrain.add(group);
  const begin = performance.now();
  let took: number | undefined;
  void connectionDrain.run().then(() => {
    took = performance.now() - begin;
  });
  await vi.advanceTimersByTimeAsync(20_000);
  return took;
}

it("a drain without connections ends at once", async () => {
  expect(await connectionDrain(true, connections(0))).toBe(0);
});

it("a drain asks a few connections one after the other, and ends when they have closed", async () => {
  const few = connections(10, 20);
  expect(await connectionDrain(true, few)).toBeLessThan(200);
  expect(few.askedAt).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

it("a drain spreads its requests to thousands of connections of all groups over 4 s", async () => {
  const [sockets, streams] = [connections(4_000, 10), connections(1_000, 10)];
  expect(await connectionDrain(true, sockets, streams)).toBeLessThan(4_200);
  const askedAt = [...sockets.askedAt, ...streams.askedAt];
  expect(askedAt).toHaveLength(5_000);
  expect(Math.max(...askedAt)).toBeLessThan(4_000);
  for (let second = 0; second < 4; second++) {
    const inIt = askedAt.filter((at) => Math.floor(at / 1_000) === second);
    expect(inIt.length).toBeGreaterThan(1_000);
    expect(inIt.length).toBeLessThan(1_500);
  }
});

it("a drain waits only a moment for connections that do not close", async () => {
  expect(await connectionDrain(true, connections(3))).toBeLessThan(2_000);
});

it("an impatient drain asks all connections at once and does not wait", async () => {
  const many = connections(1_000);
  expect(await connectionDrain(false, many)).toBe(0);
  expect(many.askedAt).toHaveLength(1_000);
});
