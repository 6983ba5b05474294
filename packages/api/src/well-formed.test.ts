import { describe, expect, it } from "vitest";
import { HubError } from "./errors.ts";
import { assertWellFormed } from "./well-formed.ts";

const fieldOf = (input: unknown): string | undefined => {
  try {
    assertWellFormed(input);
    return undefined;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return error.details?.[0]?.field;
  }
};
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe("assertWellFormed", () => {
  it("lets through what any field may hold", () => {
    expect(fieldOf({ a: ["x", 1, null, true, { b: "👩‍👩‍👧" }], "": "" })).toBeUndefined();
    expect(fieldOf(nested(32))).toBeUndefined();
  });

  it.each([
    ["NUL", { a: { b: ["x", "y\0"] } }, "a.b.1"],
    ["NUL in a name", { a: { "b\0": 1 } }, "a"],
    ["a lone surrogate", { a: "\ud800" }, "a"],
    ["33 levels", nested(33), Array(32).fill("a").join(".")],
    ["the name __proto__", JSON.parse('{"fields": {"__proto__": "x"}}'), "fields.__proto__"],
  ])("refuses %s and names the place", (_, input, field) => {
    expect(fieldOf(input)).toBe(field);
  });

  it("echoes no more of the caller's names than a message needs", () => {
    expect(fieldOf({ ["k".repeat(60_000)]: "\0" })).toHaveLength(200);
  });

  it("needs no memory for the paths of values that are all right", () => {
    // 30,000 × 17,000 characters, if each element carried its path: more than any heap.
    const input = { ["k".repeat(30_000)]: Array(17_000).fill(0) };
    const before = process.memoryUsage().heapUsed;
    assertWellFormed(input);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });
});
