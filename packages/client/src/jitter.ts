const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Full jitter: a thousand clients that were cut at once come back spread, not all at once. */
export function jitter(attempt: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
}
