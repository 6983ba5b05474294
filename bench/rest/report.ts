import { median } from "../median.ts";
import { HUB, REFERENCE } from "./contenders.ts";
import type { LoadResult } from "./load/load-protocol.ts";
import type { ProcessUse } from "./pinned-process.ts";

/** The result of one slice: one contender under load for some seconds. */
export interface Sample extends LoadResult {
  use: ProcessUse | null;
}

export interface Row {
  title: string;
  /** The minimum ratio of the hub's requests per second to the reference's. */
  goal: number;
  samples: Map<string, Sample[]>;
}

/**
 * Prints one row of the benchmark as a table of contenders. Returns true if the goal is reached and
 * no request failed.
 */
export function report({ title, goal, samples }: Row): boolean {
  const rate = (name: string) =>
    median((samples.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
  const ratio = (name: string) => rate(name) / rate(REFERENCE);
  const lines = [...samples].map(([name, taken]) => {
    const of = (key: keyof LoadResult) => taken.map((sample) => sample[key]);
    const peaks = taken.map(({ use }) => use?.peakMiB ?? Number.NaN);
    const cpu = median(taken.map(({ use, seconds }) => (use?.cpuMs ?? Number.NaN) / seconds / 10));
    return [
      name,
      String(Math.round(rate(name))),
      ratio(name).toFixed(2),
      median(of("p50Ms")).toFixed(1),
      median(of("p99Ms")).toFixed(1),
      known(Math.max(...peaks), ""),
      String(of("failures").reduce((sum, count) => sum + count, 0)),
      known(cpu, " %"),
      known((cpu * 10_000) / rate(name), ""),
      `${(median(of("generatorCpu")) * 100).toFixed(0)} %`,
    ];
  });
  const failures = [...samples.values()].flat().reduce((sum, sample) => sum + sample.failures, 0);
  const isReached = ratio(HUB) >= goal && failures === 0;
  console.log(`\n${title}\n`);
  printTable([heads, ...lines]);
  console.log(
    `\n${isReached ? "reached" : "MISSED "}  ${HUB} is at ${ratio(HUB).toFixed(2)} × ${REFERENCE}, goal ≥ ${goal.toFixed(1)}; ${failures} failures, goal 0`,
  );
  return isReached;
}

const known = (value: number, unit: string) =>
  Number.isNaN(value) ? "?" : `${value.toFixed(0)}${unit}`;

const heads = [
  "server",
  "requests/s",
  "ratio",
  "p50 ms",
  "p99 ms",
  "peak MiB",
  "failures",
  "server CPU",
  "CPU µs/request",
  "generator CPU",
];

/** Prints a table in Markdown. */
export function printTable([head = [], ...lines]: string[][]): void {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const print = (cells: string[]) =>
    console.log(
      `| ${cells.map((cell, at) => (at ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[0] ?? 0))).join(" | ")} |`,
    );
  print(head);
  console.log(
    `|${widths.map((width, at) => (at ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`,
  );
  for (const line of lines) print(line);
}
