import { describe, expect, it } from "vitest";
import type { ShownMessage } from "../use-older-messages.ts";
import {
  firstLeaf,
  isWhole,
  lastQuestionOf,
  newestLeaf,
  pathTo,
  questionOf,
  siblingsOf,
  treeOf,
} from "./room-path.ts";

const line = (id: number, parent_id: number | null): ShownMessage => ({
  id,
  parent_id,
  role: "user",
  sender_name: "ada",
  content: `m${id}`,
});
const linear = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => line(from + at, from + at - 1 || null));

/**
 * The log 1 2 3 4, then a second reply 5 to question 3, another first question 6 with its reply 7,
 * and a message 8 after the first reply to question 3.
 */
const log = [...linear(1, 4), line(5, 3), line(6, null), line(7, 6), line(8, 4)];
const tree = treeOf(log);
const path = (leaf: number, of = tree) => pathTo(of, leaf).map(({ id }) => id);

describe("the path", () => {
  it("of an unbranched room is its log", () => {
    const lines = linear(1, 50);
    expect(pathTo(treeOf(lines), 50)).toEqual(lines);
  });

  it("contains one branch of each fork, down to any message", () => {
    expect(path(8)).toEqual([1, 2, 3, 4, 8]);
    expect(path(5)).toEqual([1, 2, 3, 5]);
    expect(path(7)).toEqual([6, 7]);
    expect(path(2)).toEqual([1, 2]);
  });

  it("begins at the first loaded message, and never jumps over one that is missing", () => {
    const later = treeOf(log.slice(3));
    expect(path(8, later)).toEqual([4, 8]);
    expect(isWhole(later, pathTo(later, 8))).toBe(false);
    expect(path(5, later)).toEqual([5]);
    expect(path(7, later)).toEqual([6, 7]);
    expect(isWhole(later, pathTo(later, 7))).toBe(true);
  });

  it("to a message that is not loaded is empty", () => {
    expect(path(2, treeOf(log.slice(3)))).toEqual([]);
    expect(path(99)).toEqual([]);
    expect(isWhole(tree, [])).toBe(false);
  });

  it("follows the log of a hub that sends no parents", () => {
    const lines = linear(41, 44).map(({ parent_id: _, ...rest }) => rest as ShownMessage);
    const former = treeOf(lines);
    expect(path(44, former)).toEqual([41, 42, 43, 44]);
    expect(isWhole(former, lines)).toBe(false);
  });
});

describe("siblings", () => {
  it("are the continuations of one message, oldest first", () => {
    expect(siblingsOf(tree, 4, true)).toEqual([4, 5]);
    expect(siblingsOf(tree, 5, true)).toEqual([4, 5]);
    expect(siblingsOf(tree, 8, true)).toBeUndefined();
  });

  it("are unknown while their parent, or an earlier beginning, may not be loaded", () => {
    const later = treeOf(log.slice(3));
    expect(siblingsOf(later, 5, false)).toBeUndefined();
    expect(siblingsOf(tree, 6, false)).toBeUndefined();
    expect(siblingsOf(tree, 6, true)).toEqual([1, 6]);
  });
});

describe("a question", () => {
  const reply = (id: number) => ({ ...line(id, id - 1), role: "assistant" as const });
  const aside = (id: number, sender_name = "ada") => ({
    ...line(id, id - 1),
    sender_name,
    audience: "people" as const,
  });
  /** A question with the replies of two souls, and a message off the record in between. */
  const talk = [line(1, null), reply(2), aside(3), reply(4)];

  it("has the replies of several souls", () => {
    const of = (id: number) => questionOf(treeOf(talk), id)?.id;
    expect([1, 2, 3, 4].map(of)).toEqual([1, 1, undefined, 1]);
  });

  it("may be asked again by its sender until another person writes, off the record, too", () => {
    expect(lastQuestionOf(talk)?.id).toBe(1);
    expect(lastQuestionOf([...talk, aside(5, "bob")])).toBeUndefined();
    expect(lastQuestionOf([...talk, aside(5, "bob"), line(6, 5)])?.id).toBe(6);
  });
});

describe("the leaf below a message", () => {
  it("ends the newest conversation below it", () => {
    expect(newestLeaf(tree, 1)).toBe(5);
    expect(newestLeaf(tree, 4)).toBe(8);
    expect(newestLeaf(tree, 6)).toBe(7);
    expect(newestLeaf(tree, 5)).toBe(5);
  });

  it("stays the same when another branch appears", () => {
    const grown = treeOf([...log, line(9, 3), line(10, 8), line(11, 4)]);
    expect(firstLeaf(tree, 4)).toBe(8);
    expect(firstLeaf(grown, 4)).toBe(10);
    expect(firstLeaf(grown, 8)).toBe(10);
  });
});
