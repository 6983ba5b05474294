import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHandOver } from "./hand-over.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** People who go `ms` after they were asked; never when that is undefined. */
function crowd(count: number, ms?: number) {
  const members = new Set(Array.from({ length: count }, (_, n) => n));
  const askedAt: number[] = [];
  const begin = performance.now();
  const ask = (member: number) => {
    askedAt.push(performance.now() - begin);
    if (ms !== undefined) setTimeout(() => members.delete(member), ms);
  };
  return { askedAt, group: { members: () => members, ask } };
}

async function handOver(isPatient: boolean, ...crowds: ReturnType<typeof crowd>[]) {
  const handOver = createHandOver(isPatient);
  for (const { group } of crowds) handOver.add(group);
  const begin = performance.now();
  let took: number | undefined;
  void handOver.run().then(() => {
    took = performance.now() - begin;
  });
  await vi.advanceTimersByTimeAsync(20_000);
  return took;
}

it("is done at once when nobody is there", async () => {
  expect(await handOver(true, crowd(0))).toBe(0);
});

it("asks a few people one after the other, and goes when they have gone", async () => {
  const few = crowd(10, 20);
  expect(await handOver(true, few)).toBeLessThan(200);
  expect(few.askedAt).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

it("spreads thousands over 4 s, of every kind", async () => {
  const [sockets, streams] = [crowd(4_000, 10), crowd(1_000, 10)];
  expect(await handOver(true, sockets, streams)).toBeLessThan(4_200);
  const askedAt = [...sockets.askedAt, ...streams.askedAt];
  expect(askedAt).toHaveLength(5_000);
  expect(Math.max(...askedAt)).toBeLessThan(4_000);
  for (let second = 0; second < 4; second++) {
    const inIt = askedAt.filter((at) => Math.floor(at / 1_000) === second);
    expect(inIt.length).toBeGreaterThan(1_000);
    expect(inIt.length).toBeLessThan(1_500);
  }
});

it("waits a moment for those who don't understand, not for ever", async () => {
  expect(await handOver(true, crowd(3))).toBeLessThan(2_000);
});

it("waits for nobody where it may not", async () => {
  const many = crowd(1_000);
  expect(await handOver(false, many)).toBe(0);
  expect(many.askedAt).toHaveLength(1_000);
});
