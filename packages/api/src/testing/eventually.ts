import { vi } from "vitest";

/** Time limit of a check. Only a failing test waits this long. */
const TIMEOUT_MS = 60_000;

/**
 * Repeats the check until it passes and returns its result.
 * @throws the last error of the check after a minute
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: TIMEOUT_MS, interval: 10 });
