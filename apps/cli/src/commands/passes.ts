import type { Hub } from "../ask-hub.ts";
import type { HubCommand } from "../report.ts";

type Pass = Awaited<ReturnType<Hub["passes"]["read"]["query"]>>;

export const showPass =
  (username: string): HubCommand =>
  async (hub) => {
    const pass = await hub.passes.read.query({ username });
    return { json: pass, lines: describePass(pass) };
  };

function describePass({ username, tier, effective_tier, expires_at, quota }: Pass): string[] {
  const until = `${effective_tier === tier ? "until" : "expired"} ${expires_at} UTC`;
  const lines = [
    ["pass", tier === "free" ? "none" : `${tier}, ${until}`],
    ["counts as", effective_tier],
    [
      "today",
      `${quota.daily_count} used, ${quota.daily_remaining} of ${quota.daily_limit} left until ${quota.resets_at} UTC`,
    ],
    ...(quota.premium_limit > 0
      ? [["premium", `${quota.premium_remaining} of ${quota.premium_limit} left`]]
      : []),
  ];
  return [username, ...lines.map(([name = "", value]) => `  ${name.padEnd(9)}  ${value}`)];
}
