import { describe, expect, it } from "vitest";
import { HubError } from "../errors.ts";
import { assertFewValues, assertWellFormed } from "./well-formed.ts";

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
  it("accepts text, numbers, lists and objects", () => {
    expect(fieldOf({ a: ["x", 1, null, true, { b: "👩‍👩‍👧" }], "": "" })).toBeUndefined();
    expect(fieldOf(nested(32))).toBeUndefined();
  });

  it.each([
    ["NUL", { a: { b: ["x", "y\0"] } }, "a.b.1"],
    ["NUL in a name", { a: { "b\0": 1 } }, "a"],
    ["a lone surrogate", { a: "\ud800" }, "a"],
    ["33 levels", nested(33), Array(32).fill("a").join(".")],
    ["the name __proto__", JSON.parse('{"fields": {"__proto__": "x"}}'), "fields.__proto__"],
  ])("refuses %s and names the field", (_, input, field) => {
    expect(fieldOf(input)).toBe(field);
  });

  it("shortens the names of the caller in the error", () => {
    expect(fieldOf({ ["k".repeat(60_000)]: "\0" })).toHaveLength(200);
  });

  it("builds no paths of valid values", () => {
    // With a path for each of the 9,000 elements, the key of 60,000 characters would be copied
    // 9,000 times.
    const input = { ["k".repeat(60_000)]: Array(9_000).fill(0) };
    const before = process.memoryUsage().heapUsed;
    assertWellFormed(input);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ["an array", Array(10_000).fill(0)],
    ["an object", Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [n, n]))],
    ["nested arrays", Array(100).fill(Array(100).fill(0))],
  ])("refuses %s of more than 10,000 values", (_, input) => {
    expect(fieldOf({ a: input })).toBeDefined();
    expect(fieldOf(Array(9_999).fill(0))).toBeUndefined();
  });
});

describe("assertFewValues", () => {
  const refuses = (json: string) => {
    try {
      assertFewValues(Buffer.from(json));
      return false;
    } catch {
      return true;
    }
  };

  it("refuses JSON text of many values, however they are written", () => {
    expect(refuses(`[${"1,".repeat(30_000)}1]`)).toBe(true);
    expect(refuses("[".repeat(30_000))).toBe(true);
    expect(refuses(`{${'"a":1,'.repeat(30_000)}"a":1}`)).toBe(true);
  });

  it("does not count the separators inside of texts", () => {
    expect(refuses(JSON.stringify({ content: '[1,{"a\\\\":2},'.repeat(10_000) }))).toBe(false);
    expect(refuses(JSON.stringify(Array(9_999).fill('a,"[')))).toBe(false);
  });
});
