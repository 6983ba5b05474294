/** Returns the smallest value that is at least as large as the given share of all values. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The mean of the middle two for an even number of values; NaN for none. */
export function median(values: number[]): number {
  const mirrored = values.map((value) => -value);
  return (quantile(values, 0.5) - quantile(mirrored, 0.5)) / 2;
}

/** The columns of a table for durations in milliseconds. */
export const spreadOf = (ms: Iterable<number>) => ({
  "p50 ms": quantile(ms, 0.5),
  "p99 ms": quantile(ms, 0.99),
  "max ms": quantile(ms, 1),
});
