import { alignedRows } from "@soul-hub/program";
import type { Hub } from "../ask-hub.ts";
import type { HubCommand } from "../report.ts";

type UsageReport = Awaited<ReturnType<Hub["usage"]["report"]["query"]>>;

interface UsageOptions {
  days?: number | undefined;
  /** Limits the usage report to one account. By default it includes all accounts and guests. */
  user?: string | undefined;
}

const names = ["day", "provider", "model", "outcome"];
const measures = ["calls", "tokens in", "tokens out", "first text", "whole reply"];

export const showUsage =
  ({ days, user: username }: UsageOptions): HubCommand =>
  async (hub) => {
    const report = await hub.usage.report.query({ days, username });
    return { json: report, lines: describeUsage(report, username) };
  };

function describeUsage(report: UsageReport, username: string | undefined): string[] {
  const { from, to, total, usage } = report;
  const whose = username === undefined ? "" : ` by ${username}`;
  if (usage.length === 0) {
    return [`No calls to models${whose} from ${from} to ${to} (UTC).`];
  }
  const rows = usage.map((entry) => [
    entry.day,
    entry.provider,
    entry.own_key && entry.model !== "own-key" ? `${entry.model} (own key)` : entry.model,
    entry.outcome,
    count(entry.calls),
    tokens(entry.input_tokens),
    tokens(entry.output_tokens),
    entry.median_first_token_ms === null ? "–" : seconds(entry.median_first_token_ms),
    seconds(entry.median_ms),
  ]);
  return [
    `Calls to models${whose} from ${from} to ${to} (UTC); times are medians.`,
    "",
    ...alignedRows([...names, ...measures], rows, (at) => at >= names.length),
    "",
    `${count(total.calls)} ${total.calls === 1 ? "call" : "calls"}, ${count(total.ok)} ok; tokens ${tokens(total.input_tokens)} in, ${tokens(total.output_tokens)} out.`,
    ...(report.has_more ? ["Only the newest rows are listed. The totals include all rows."] : []),
  ];
}

const count = (n: number): string => n.toLocaleString("en");
/** An unknown count is shown as a dash, because it may differ from 0. */
const tokens = (n: number | null): string => (n === null ? "–" : count(n));
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
