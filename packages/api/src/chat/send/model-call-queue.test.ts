import { describe, expect, it } from "vitest";
import { createModelCallQueue } from "./model-call-queue.ts";

const never = new AbortController().signal;

/** Decisions §5, Provider: 8 calls of an account and 256 of a server at a time; 1,000 may wait. */
describe("the model call queue", () => {
  /** Creates a queue and records the participants of its started calls in order. */
  const createQueue = () => {
    const queue = createModelCallQueue(256);
    const started: string[] = [];
    const acquire = async (participant: string, signal = never, payer?: "own") => {
      const slot = await queue.acquire(participant, signal, payer);
      started.push(participant);
      return { release: () => slot[Symbol.dispose]() };
    };
    return { queue, started, acquire };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("runs 8 calls of one account; the ninth waits while other accounts pass", async () => {
    const { queue, started, acquire } = createQueue();
    const slots = await Promise.all(Array.from({ length: 8 }, () => acquire("ada")));
    const ninth = acquire("ada");
    await acquire("ben");
    expect([started.length, queue.waiting]).toEqual([9, 1]);
    slots[3]?.release();
    await ninth;
    expect([started.at(-1), queue.waiting]).toEqual(["ada", 0]);
    // Releasing a queue slot a second time has no effect.
    slots[3]?.release();
    void acquire("ada");
    await settled();
    expect(queue.waiting).toBe(1);
  });

  it("runs 256 calls in all, and starts waiting calls in order", async () => {
    const { queue, started, acquire } = createQueue();
    const slots = await Promise.all(Array.from({ length: 256 }, (_, n) => acquire(`member-${n}`)));
    for (const late of ["x", "y", "z"]) void acquire(late);
    expect(queue.waiting).toBe(3);
    for (const slot of slots.slice(0, 3)) {
      slot.release();
      await settled();
    }
    expect(started.slice(-3)).toEqual(["x", "y", "z"]);
  });

  it("limits calls with own keys to half of the slots and half of the queue", async () => {
    const { queue, started, acquire } = createQueue();
    const own = (who: string) => acquire(who, never, "own");
    const slots = await Promise.all(Array.from({ length: 128 }, (_, n) => own(`own-${n}`)));
    expect([queue.canRun("x", "own"), queue.canRun("x")]).toEqual([false, true]);
    for (let n = 0; n < 500; n++) void own(`late-${n}`);
    await expect(own("too late")).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(Array.from({ length: 128 }, (_, n) => acquire(`member-${n}`)));
    void acquire("waits");
    expect(queue.waiting).toBe(501);
    slots[0]?.release();
    await settled();
    expect([started.at(-1), queue.waiting]).toEqual(["late-0", 500]);
  });

  it("counts all calls of an account together; one release can start two calls", async () => {
    const { queue, started, acquire } = createQueue();
    const own = (who: string) => acquire(who, never, "own");
    await Promise.all(Array.from({ length: 120 }, (_, n) => own(`own-${n}`)));
    const [slot] = await Promise.all(Array.from({ length: 8 }, () => own("ada")));
    void acquire("ada");
    void own("ben");
    expect(queue.waiting).toBe(2);
    slot?.release();
    await settled();
    expect([started.slice(-2), queue.waiting]).toEqual([["ada", "ben"], 0]);
  });

  it("removes a waiting call whose signal aborts", async () => {
    const { queue, started, acquire } = createQueue();
    const slots = await Promise.all(Array.from({ length: 8 }, () => acquire("ada")));
    const client = new AbortController();
    const left = acquire("ada", client.signal);
    const next = acquire("ada");
    client.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    slots[0]?.release();
    await next;
    expect([started.length, queue.waiting]).toEqual([9, 0]);
    await expect(acquire("ben", AbortSignal.abort(new Error("gone before")))).rejects.toThrow(
      "gone before",
    );
  });

  it("refuses the 1,001st waiting call", async () => {
    const { queue, acquire } = createQueue();
    await Promise.all(Array.from({ length: 8 }, () => acquire("ada")));
    for (let n = 0; n < 1_000; n++) void acquire("ada");
    expect(queue.waiting).toBe(1_000);
    await expect(acquire("ada")).rejects.toMatchObject({ code: "overloaded", status: 503 });
    // A full queue still admits a call that can start without waiting.
    await acquire("ben");
  });
});
