import { describe, expect, it } from "vitest";
import type { ShownMessage } from "../use-older-messages.ts";
import { replacedBy } from "./reply-place.ts";

const said = (id: number, parent_id: number | null, sender_name = "ada"): ShownMessage => ({
  id,
  parent_id,
  role: sender_name === "Soul" ? "assistant" : "user",
  sender_name,
  content: `m${id}`,
});
/** Two questions of ada, then one of bob, each with its reply. */
const path = [
  said(1, null),
  said(2, 1, "Soul"),
  said(3, 2),
  said(4, 3, "Soul"),
  said(5, 4, "bob"),
  said(6, 5, "Soul"),
];
const asked = {
  sender_name: "ada",
  content: "Why?",
  parent_id: 6 as number | null,
  regenerates: null,
  since_id: 6,
};

describe("a reply in progress is shown", () => {
  it("at the end of the path", () => {
    expect(replacedBy(path, asked)).toEqual([]);
    expect(replacedBy([], { ...asked, parent_id: null, since_id: 0 })).toEqual([]);
    const { parent_id: _, ...former } = asked;
    expect(replacedBy(path, former)).toEqual([]);
  });

  it("in place of the reply that it regenerates", () => {
    const again = (question: number) => ({ ...asked, parent_id: question, regenerates: question });
    expect(replacedBy(path, again(5))).toEqual([6]);
    expect(replacedBy(path, again(1))).toEqual([2]);
    expect(replacedBy(path.slice(0, 5), again(5))).toEqual([]);
    // Of two regenerations at once, the second one replaces the first one's reply.
    const twice = [...path.slice(0, 5), said(9, 5, "Soul")];
    expect(replacedBy(twice, again(5))).toEqual([9]);
    // Another soul has answered the same question. Its reply continues the replaced one.
    const several = [...path, said(7, 6, "Soul"), said(8, 7)];
    expect(replacedBy(several, again(5))).toEqual([6, 7]);
  });

  it("in place of the question that its question rewrites, and that one's reply", () => {
    expect(replacedBy(path, { ...asked, parent_id: 2 })).toEqual([3, 4]);
    expect(replacedBy(path, { ...asked, parent_id: null })).toEqual([1, 2]);
    expect(replacedBy(path.slice(0, 3), { ...asked, parent_id: 2 })).toEqual([3]);
  });

  it("after the questions of others, and own ones, that were stored meanwhile", () => {
    expect(replacedBy(path, { ...asked, parent_id: 4, since_id: 4 })).toEqual([]);
    expect(replacedBy(path, { ...asked, parent_id: 4 })).toEqual([]);
    expect(replacedBy(path, { ...asked, parent_id: 2, since_id: 2 })).toEqual([]);
  });

  it("after the messages that followed the reply of the soul before", () => {
    const further = { ...asked, content: "", parent_id: 2, since_id: 6 };
    expect(replacedBy(path, further)).toEqual([]);
  });

  it("nowhere, if the path does not contain its place", () => {
    expect(replacedBy(path, { ...asked, parent_id: 8 })).toBeUndefined();
    expect(replacedBy(path, { ...asked, regenerates: 8 as never })).toBeUndefined();
    expect(replacedBy(path.slice(2), { ...asked, parent_id: null })).toBeUndefined();
  });
});
