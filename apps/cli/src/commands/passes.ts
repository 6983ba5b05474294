import { Failure } from "@soul-hub/program";
import type { Hub } from "../ask-hub.ts";
import { type HubCommand, saying } from "../report.ts";

type Pass = Awaited<ReturnType<Hub["passes"]["read"]["query"]>>;

interface Duration {
  days?: number | undefined;
  until?: string | undefined;
}

/** @throws Failure `bad_arguments` unless exactly one of `days` and `until` is set */
export function grantPass(
  username: string,
  tier: "vip" | "pro",
  { days, until }: Duration,
): HubCommand {
  if ((days === undefined) === (until === undefined)) {
    const message = "Set the duration with either --days 30 or --until 2027-01-31.";
    throw new Failure("bad_arguments", message);
  }
  return saying((hub) => hub.passes.grant.mutate({ username, tier, days, expires_at: until }));
}

export const revokePass = (username: string): HubCommand =>
  saying((hub) => hub.passes.grant.mutate({ username, tier: "free" }));

export const showPass =
  (username: string): HubCommand =>
  async (hub) => {
    const pass = await hub.passes.read.query({ username });
    return { json: pass, text: describePass(pass) };
  };

function describePass({ username, tier, effective_tier, expires_at, quota }: Pass): string {
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
  return [username, ...lines.map(([name = "", value]) => `  ${name.padEnd(9)}  ${value}`)].join(
    "\n",
  );
}
