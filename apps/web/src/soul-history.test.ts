import { expect, it } from "vitest";
import type { Soul, VersionEntry } from "./queries.ts";
import { historyOf, whyMissing } from "./soul-history.ts";

const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000 - 60_000).toISOString().slice(0, 19).replace("T", " ");

const soul = {
  version: 4,
  created_at: daysAgo(9),
  updated_at: daysAgo(1),
  version_note: "Shorter.",
  signature: null,
} as Soul;
const former = [
  { number: 3, note: null, edited_at: daysAgo(1), signature: null },
  { number: 2, note: "Kinder.", edited_at: daysAgo(3), signature: { wallet_verified: false } },
  { number: 1, note: null, edited_at: daysAgo(6), signature: null },
] as VersionEntry[];
const times = (versions: readonly VersionEntry[]) =>
  historyOf(soul, versions).map(({ number, when }) => [number, when]);

it("lists the present version first, each with the time at which it was made", () => {
  expect(times(former)).toEqual([
    [4, "yesterday"],
    [3, "3 days ago"],
    [2, "6 days ago"],
    [1, "last week"],
  ]);
  const [present, , second] = historyOf(soul, former);
  expect(present).toMatchObject({ note: "Shorter.", isPresent: true, isSigned: false });
  expect(second).toMatchObject({ note: "Kinder.", isPresent: false, isSigned: true });
});

it("calls a signature confirmed only if NEAR confirmed the wallet", () => {
  const signed = (isVerified: boolean) => ({ wallet_verified: isVerified });
  const [present, third, second] = historyOf({ ...soul, signature: signed(true) } as Soul, [
    { number: 3, signature: signed(true), edited_at: daysAgo(1) } as VersionEntry,
    ...former.slice(1),
  ]);
  expect([present, third, second].map((entry) => entry?.isConfirmed)).toEqual([true, true, false]);
});

it("says until when a version was present, if the version before is hidden from the reader", () => {
  const shown = former.filter(({ number }) => number !== 2);
  expect(times(shown)).toEqual([
    [4, "yesterday"],
    [3, "until yesterday"],
    [1, "last week"],
  ]);
});

it("leaves out a version that was replaced after the soul was read", () => {
  expect(times([{ number: 4, edited_at: daysAgo(0) } as VersionEntry, ...former])).toEqual(
    times(former),
  );
});

it("says why a version is missing", () => {
  expect(whyMissing(5, 4)).toBe("The newest version of this soul is v4.");
  expect(whyMissing(2, 4)).toContain("hidden");
});
