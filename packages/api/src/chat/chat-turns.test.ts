import { describe, expect, it } from "vitest";
import { createChatTurns } from "./chat-turns.ts";

const never = new AbortController().signal;

/** Decisions §5, Provider: 8 calls of an account and 256 of a server at a time; 1,000 may wait. */
describe("turns at the provider", () => {
  /** Who has a place, in the order they got it. */
  const desk = () => {
    const turns = createChatTurns(256);
    const started: string[] = [];
    const take = async (who: string, signal = never, payer?: "own") => {
      const giveBack = await turns.take(who, signal, payer);
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

  it("leaves half of the places, and of the queue, to who does not bring a key", async () => {
    const { turns, started, take } = desk();
    const own = (who: string) => take(who, never, "own");
    const places = await Promise.all(Array.from({ length: 128 }, (_, n) => own(`own-${n}`)));
    expect([turns.isFree("x", "own"), turns.isFree("x")]).toEqual([false, true]);
    for (let n = 0; n < 500; n++) void own(`late-${n}`);
    await expect(own("too late")).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(Array.from({ length: 128 }, (_, n) => take(`member-${n}`)));
    void take("waits");
    expect(turns.waiting).toBe(501);
    places[0]?.();
    await settled();
    expect([started.at(-1), turns.waiting]).toEqual(["late-0", 500]);
  });

  it("counts one account's calls together, whoever pays; one place may let two start", async () => {
    const { turns, started, take } = desk();
    const own = (who: string) => take(who, never, "own");
    await Promise.all(Array.from({ length: 120 }, (_, n) => own(`own-${n}`)));
    const [place] = await Promise.all(Array.from({ length: 8 }, () => own("ada")));
    void take("ada");
    void own("ben");
    expect(turns.waiting).toBe(2);
    place?.();
    await settled();
    expect([started.slice(-2), turns.waiting]).toEqual([["ada", "ben"], 0]);
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
