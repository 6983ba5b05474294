import type { Counter, Histogram } from "prom-client";

type Labels<Name extends string> = Record<Name, string | number>;

/** A metric that keeps a limited number of label sets. */
export interface Limited<Name extends string> {
  /** Adds to a counter, or observes a value of a histogram. */
  note(labels: Labels<Name>, value?: number): void;
}

/**
 * Limits the label sets of a metric: Prometheus and this process keep each of them in memory
 * (0071). Sets beyond the limit are counted together, under the label `other`.
 * @param max a set has one series, or in a histogram three more than buckets
 * @param kept returns labels that differ from `other` even then; they must have few values
 */
export function limitSeries<Name extends string>(
  metric: Counter<Name> | Histogram<Name>,
  max: number,
  kept?: (labels: Labels<Name>) => Partial<Labels<Name>>,
): Limited<Name> {
  const known = new Set<string>();
  const limited = (labels: Labels<Name>): Labels<Name> => {
    const key = Object.values(labels).join("\n");
    if (known.has(key)) return labels;
    if (known.size < max) {
      known.add(key);
      return labels;
    }
    const others = Object.keys(labels).map((name) => [name, "other"]);
    return { ...Object.fromEntries(others), ...kept?.(labels) };
  };
  return {
    note: (labels, value = 1) =>
      "observe" in metric
        ? metric.observe(limited(labels), value)
        : metric.inc(limited(labels), value),
  };
}
