import { sql } from "kysely";
import { findPassHolder } from "../accounts/account.queries.ts";
import { actorOf, writeAudit } from "../audit/write-audit.ts";
import type { Tier } from "../caller/tier.schema.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { PassGrant } from "./quota.schema.ts";
import { readQuota } from "./quota.service.ts";

/**
 * Reads the granted pass, the effective tier and the quota of an account (decisions §5, Passes).
 * @throws HubError `user_not_found`
 */
export async function readPass(ctx: CallContext, username: string) {
  const { account, grantedTier, expiresAt } = await findPassHolder(ctx.db, username);
  return {
    username: account.username,
    tier: grantedTier,
    effective_tier: account.tier,
    expires_at: expiresAt,
    quota: await readQuota({ ...ctx, caller: { kind: "key", account } }),
  };
}

/**
 * Grants, renews or revokes a pass (decisions §5, Passes). A past time gives an expired pass.
 * @returns a message, the granted tier, and the expiry time or null
 * @throws HubError `user_not_found`
 */
export async function grantPass({ db, caller }: CallContext, grant: PassGrant) {
  const expiresAt =
    grant.tier === "free"
      ? sql<null>`null`
      : grant.expires_at !== undefined
        ? sql<string>`${grant.expires_at}::timestamptz`
        : sql<string>`hub_now() + make_interval(days => ${grant.days ?? 0})`;
  const account = await db.transaction().execute(async (tx) => {
    const changed = await tx
      .updateTable("accounts")
      .set({ tier: grant.tier, pass_expires_at: expiresAt })
      .where("username_key", "=", grant.username.toLowerCase())
      // The hub's own accounts, which have no password, cannot hold a pass.
      .where("password_hash", "is not", null)
      .returning([
        "id",
        "username",
        "pass_expires_at",
        sql<boolean>`pass_expires_at <= hub_now()`.as("is_past"),
      ])
      .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
    await writeAudit(tx, {
      actor: actorOf(caller),
      action: "grant-pass",
      target: `account:${changed.id}`,
      detail: { tier: grant.tier, expires_at: changed.pass_expires_at },
    });
    return changed;
  });
  const until = account.pass_expires_at;
  return {
    message: describePass(account.username, grant.tier, until, account.is_past),
    tier: grant.tier,
    expires_at: until,
  };
}

function describePass(username: string, tier: Tier, until: string | null, isPast: boolean): string {
  if (until === null) return `${username} is free.`;
  if (isPast) return `The ${tier} pass of ${username} ran out ${until} UTC: ${username} is free.`;
  return `${username} is ${tier} until ${until} UTC.`;
}
