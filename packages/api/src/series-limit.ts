import type { Counter, Histogram } from "prom-client";

type Labels<Name extends string> = Record<Name, string | number>;

/**
 * Limits the series of a metric: Prometheus and this process keep each of them in memory (0071).
 * Label sets beyond the limit are counted together, under the label `other`.
 * @param kept a label that keeps its values even then; it must have few
 */
function seriesLimit<Name extends string>(max: number, kept?: Name) {
  const known = new Set<string>();
  return (labels: Labels<Name>): Labels<Name> => {
    const key = Object.values(labels).join("\n");
    if (known.has(key)) return labels;
    if (known.size < max) {
      known.add(key);
      return labels;
    }
    const others = Object.keys(labels).map((name) => [name, "other"]);
    return { ...Object.fromEntries(others), ...(kept && { [kept]: labels[kept] }) };
  };
}

export interface LimitedCounter<Name extends string> {
  inc(labels: Labels<Name>, by?: number): void;
}

export interface LimitedHistogram<Name extends string> {
  observe(labels: Labels<Name>, value: number): void;
}

export function limitCounter<Name extends string>(
  counter: Counter<Name>,
  max: number,
): LimitedCounter<Name> {
  const limit = seriesLimit<Name>(max);
  return { inc: (labels, by) => counter.inc(limit(labels), by) };
}

/** @param max the number of label sets, each of which has two series more than buckets and +Inf */
export function limitHistogram<Name extends string>(
  histogram: Histogram<Name>,
  max: number,
  kept?: Name,
): LimitedHistogram<Name> {
  const limit = seriesLimit<Name>(max, kept);
  return { observe: (labels, value) => histogram.observe(limit(labels), value) };
}
