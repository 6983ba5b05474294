import { sql } from "kysely";
import { lockAccount, setRestriction } from "../../accounts/standing/standing.queries.ts";
import type { Db } from "../../db/database.ts";

export type RestrictingAction = "silence" | "suspend";

/**
 * Gives an account the restriction of the decision that lasts longest, of all its cases, and lifts
 * it if none is left (0062).
 * @returns whether the account is restricted
 */
export async function applyStrictest(
  tx: Db,
  accountId: number,
  action: RestrictingAction,
): Promise<boolean> {
  // Decisions of two cases at once: the later one reads the decision of the earlier one. The lock
  // also waits for souls that are being inserted (0061).
  await lockAccount(tx, accountId);
  const strictest = await tx
    .selectFrom("mod_decisions")
    .select(["id as decision_id", "reason", "until"])
    .where("account_id", "=", accountId)
    .where("action", "=", action)
    .where("undone_at", "is", null)
    .where(sql<boolean>`(until is null or until > hub_now())`)
    .orderBy("until", (by) => by.desc().nullsFirst())
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const kind = action === "suspend" ? "suspension" : "silence";
  await setRestriction(tx, accountId, kind, strictest ?? null);
  return strictest !== undefined;
}
