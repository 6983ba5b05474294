const BASE_MS = 500;
const MAX_MS = 30_000;

/**
 * Returns a retry delay in milliseconds: exponential backoff with full jitter. A thousand clients
 * that lost the connection together then reconnect at different times.
 */
export function jitter(attempt: number): number {
  return Math.random() * Math.min(MAX_MS, BASE_MS * 2 ** attempt);
}
