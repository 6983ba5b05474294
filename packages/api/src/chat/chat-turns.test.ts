import { describe, expect, it } from "vitest";
import { createChatTurns } from "./chat-turns.ts";

const never = new AbortController().signal;

/** Decisions §5, Provider: 8 calls of an account and 256 of a server at a time; 1,000 may wait. */
describe("turns at the provider", () => {
  /** Who has a place, in the order they got it. */
  const desk = () => {
    const turns = createChatTurns();
    const started: string[] = [];
    const take = async (who: string, signal: AbortSignal = never) => {
      const giveBack = await turns.take(who, signal);
      started.push(who);
      return giveBack;
    };
    return { turns, started, take };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("has 8 for one account; the ninth waits, and others pass it by", async () => {
    const { turns, started, take } = desk();
    const places = await Promise.all(Array.from({ length: 8 }, () => take("ada")));
    const ninth = take("ada");
    await take("ben");
    expect([started.length, turns.waiting]).toEqual([9, 1]);
    places[3]?.();
    await ninth;
    expect([started.at(-1), turns.waiting]).toEqual(["ada", 0]);
    // Given back twice is given back once.
    places[3]?.();
    void take("ada");
    await settled();
    expect(turns.waiting).toBe(1);
  });

  it("has 256 in all, first come, first served", async () => {
    const { turns, started, take } = desk();
    const places = await Promise.all(Array.from({ length: 256 }, (_, n) => take(`member-${n}`)));
    for (const late of ["x", "y", "z"]) void take(late);
    expect(turns.waiting).toBe(3);
    for (const giveBack of places.slice(0, 3)) {
      giveBack();
      await settled();
    }
    expect(started.slice(-3)).toEqual(["x", "y", "z"]);
  });

  it("lets go of who leaves while waiting", async () => {
    const { turns, started, take } = desk();
    const places = await Promise.all(Array.from({ length: 8 }, () => take("ada")));
    const leaving = new AbortController();
    const left = take("ada", leaving.signal);
    const next = take("ada");
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    places[0]?.();
    await next;
    expect([started.length, turns.waiting]).toEqual([9, 0]);
    await expect(take("ben", AbortSignal.abort(new Error("gone before")))).rejects.toThrow(
      "gone before",
    );
  });

  it("refuses the 1,001st who would wait", async () => {
    const { turns, take } = desk();
    await Promise.all(Array.from({ length: 8 }, () => take("ada")));
    for (let n = 0; n < 1_000; n++) void take("ada");
    expect(turns.waiting).toBe(1_000);
    await expect(take("ada")).rejects.toMatchObject({ code: "overloaded", status: 503 });
    // Who needs no waiting is let in all the same.
    await take("ben");
  });
});
