/**
 * `pnpm lighthouse`: Lighthouse scores of the built pages on desktop and phone, median of three
 * runs. `pnpm lighthouse soul room-mobile` tests the pages whose names start with an argument.
 * Lighthouse takes 180 MB, so it is not a dependency: pnpm downloads it on demand.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { exampleReplies, fillWithExamples } from "../example-content.ts";
import { startHubProcess } from "../hub-process.ts";

const LIGHTHOUSE = "lighthouse@13.5.0";
const RUNS = Number(process.env.RUNS ?? 3);
const categories = ["performance", "accessibility", "best-practices"] as const;
const metrics = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "speed-index",
] as const;
/** The minimum Lighthouse scores for performance; every other category requires 100. */
const goals = { desktop: 95, mobile: 90 };

const target = path.resolve(fileURLToPath(import.meta.url), "../../../../../lighthouse");
const chromium = process.env.CHROMIUM_PATH || "/usr/bin/chromium";
const run = promisify(execFile);

interface Report {
  categories: Record<string, { score: number }>;
  audits: Record<string, { displayValue: string }>;
}

async function audit(url: string, form: keyof typeof goals, name: string): Promise<Report> {
  const file = path.join(target, `${name}.json`);
  const options = [
    "--quiet",
    "--output=json",
    `--output-path=${file}`,
    `--only-categories=${categories.join(",")}`,
    "--chrome-flags=--headless --no-sandbox --disable-gpu",
    ...(form === "desktop" ? ["--preset=desktop"] : []),
  ];
  const start = () =>
    run("pnpm", ["--silent", "dlx", LIGHTHOUSE, url, ...options], {
      env: { ...process.env, CHROME_PATH: chromium },
    });
  // A failed run of Lighthouse is repeated once, because a run sometimes fails with NO_NAVSTART.
  await start().catch(start);
  return JSON.parse(await readFile(file, "utf8"));
}

const scoreOf = (report: Report, category: string) =>
  Math.round((report.categories[category]?.score ?? 0) * 100);

const selected = process.argv.slice(2);
await mkdir(target, { recursive: true });
await using hub = await startHubProcess(chromium, { model: exampleReplies, database: "new" });
const { singleSoul, room } = await fillWithExamples(hub);
for (const [page, address] of Object.entries({ browse: "/", soul: singleSoul, room })) {
  for (const [form, goal] of Object.entries(goals) as Array<[keyof typeof goals, number]>) {
    const name = `${page}-${form}`;
    if (selected.length > 0 && !selected.some((start) => name.startsWith(start))) continue;
    const reports: Report[] = [];
    for (let n = 1; n <= RUNS; n++)
      reports.push(await audit(hub.url + address, form, `${name}-${n}`));
    reports.sort((a, b) => scoreOf(a, "performance") - scoreOf(b, "performance"));
    const median = reports[Math.floor(RUNS / 2)];
    if (!median) continue;
    const scores = categories.map((category) => scoreOf(median, category));
    const isMet = scores.every((score, n) => score >= (n === 0 ? goal : 100));
    const values = metrics.map((metric) => median.audits[metric]?.displayValue ?? "–");
    console.log([isMet ? "  " : "✗ ", name, scores.join(" / "), ...values].join("  "));
    if (!isMet) process.exitCode = 1;
  }
}
