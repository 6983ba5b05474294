import { vi } from "vitest";

/** Far beyond what anything here takes: only a promise that is broken waits this long. */
const LONGEST_MS = 25_000;

/** Waits until the check no longer throws; then what it last threw fails the test. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: LONGEST_MS, interval: 10 });
