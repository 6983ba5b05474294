import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

describe("a map of what was asked for lately", () => {
  const text = (n: number) => String(n).padStart(10, "0");

  it("keeps what is asked for, and drops what is not, within its bound", () => {
    const map = new RecentMap<number>(100);
    for (let n = 0; n < 1_000; n++) {
      map.set(text(n), n);
      expect(map.get(text(0))).toBe(0);
    }
    const kept = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => map.get(text(n)) === n);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(map.get(text(1))).toBeUndefined();
  });

  it("counts the values that take room, and takes none that is too large", () => {
    const map = new RecentMap<number>(100);
    map.set(text(1), 1, 41);
    expect(map.get(text(1))).toBeUndefined();
    for (let n = 0; n < 3; n++) map.set(text(n), n, 40);
    expect([0, 1, 2].map((n) => map.get(text(n)))).toEqual([undefined, 1, 2]);
  });

  it("holds one value for a text, and none after it was deleted", () => {
    const map = new RecentMap<number>(100);
    map.set(text(1), 1);
    map.set(text(1), 2);
    expect(map.get(text(1))).toBe(2);
    map.delete(text(1));
    expect(map.get(text(1))).toBeUndefined();
  });
});
