import { sql } from "kysely";
import type { CallContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { HubError } from "../errors.ts";
import type { Tier } from "./tier.schema.ts";

interface PassGrant {
  username: string;
  tier: Tier;
  days?: number | undefined;
  expires_at?: string | undefined;
}

/**
 * Grants, renews or, with tier free, revokes a pass (decisions §5). A past date is an expired pass.
 * @throws HubError `user_not_found`
 */
export async function grantPass({ db }: CallContext, grant: PassGrant) {
  const expiresAt =
    grant.tier === "free"
      ? sql<null>`null`
      : grant.expires_at !== undefined
        ? sql<string>`${grant.expires_at}::timestamptz`
        : sql<string>`hub_now() + make_interval(days => ${grant.days ?? 0})`;
  const account = await db
    .updateTable("accounts")
    .set({ tier: grant.tier, pass_expires_at: expiresAt })
    .where("username_key", "=", grant.username.toLowerCase())
    .returning(["username", "pass_expires_at"])
    .executeTakeFirst();
  if (!account) throw new HubError("user_not_found");
  const until = account.pass_expires_at && utcText(account.pass_expires_at);
  return {
    message: until
      ? `${account.username} is ${grant.tier} until ${until} UTC.`
      : `${account.username} is free.`,
    tier: grant.tier,
    expires_at: until,
  };
}
