import { fromNow, fullDate } from "./clock.ts";
import type { Soul, VersionEntry } from "./queries.ts";

/** One version in the history of a soul, without its texts. */
export interface HistoryEntry {
  number: number;
  note: string | null;
  /**
   * When the version was made, e.g. "3 days ago". It reads "until 3 days ago" if the reader may not
   * know the version before, whose replacement would tell.
   */
  when: string;
  /** The day that `when` is about. */
  date: string;
  isPresent: boolean;
  isHidden: boolean;
  isSigned: boolean;
  /** True if NEAR confirmed that the key of the signature belongs to the wallet. */
  isConfirmed: boolean;
}

/** Lists the versions of a soul that the reader may know of, the present one first. */
export function historyOf(soul: Soul, former: readonly VersionEntry[]): HistoryEntry[] {
  // Two requests read the soul and its former versions, so the soul may change in between.
  const versions = former.filter(({ number }) => number < soul.version);
  const replacedAt = new Map(versions.map(({ number, edited_at }) => [number, edited_at]));
  const present: HistoryEntry = {
    number: soul.version,
    note: soul.version_note,
    when: fromNow(soul.updated_at),
    date: fullDate(soul.updated_at),
    isPresent: true,
    isHidden: false,
    ...signatureOf(soul),
  };
  const others = versions.map(({ number, note, edited_at, is_hidden, signature }): HistoryEntry => {
    const madeAt = number === 1 ? soul.created_at : replacedAt.get(number - 1);
    return {
      number,
      note,
      when: madeAt ? fromNow(madeAt) : `until ${fromNow(edited_at)}`,
      date: fullDate(madeAt ?? edited_at),
      isPresent: false,
      isHidden: is_hidden === true,
      ...signatureOf({ signature }),
    };
  });
  return [present, ...others];
}

const signatureOf = ({ signature }: Pick<Soul, "signature">) => ({
  isSigned: signature !== null,
  isConfirmed: signature?.wallet_verified === true,
});

/** Says why the history of a soul lacks a version. */
export const whyMissing = (number: number, newest: number): string =>
  number > newest
    ? `The newest version of this soul is v${newest}.`
    : "Its author has hidden it, or the soul was private at that time.";
