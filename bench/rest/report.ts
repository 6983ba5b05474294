import { HUB, YARDSTICK } from "./contenders.ts";
import type { LoadResult } from "./load/load-protocol.ts";
import type { ProcessUse } from "./pinned-process.ts";

/** One slice of time in which one contender was under load. */
export interface Sample extends LoadResult {
  use: ProcessUse | null;
}

export interface Row {
  title: string;
  /** What the hub must reach, times the yardstick. */
  goal: number;
  samples: Map<string, Sample[]>;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Prints one row of the bench as a table, and says whether its goal is reached without a failure. */
export function report({ title, goal, samples }: Row): boolean {
  const rate = (name: string) =>
    median((samples.get(name) ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
  const ratio = (name: string) => rate(name) / rate(YARDSTICK);
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
    `\n${isReached ? "reached" : "MISSED "}  ${HUB} is at ${ratio(HUB).toFixed(2)} × ${YARDSTICK}, the goal is ${goal.toFixed(1)}, with ${failures} failures (must be 0)`,
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

/** As Markdown, so that it can be kept as it is. */
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
