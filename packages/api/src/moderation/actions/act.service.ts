import { type Selectable, sql } from "kysely";
import { effectiveRestriction } from "../../accounts/standing/standing.queries.ts";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db, Tables } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { findUnreported } from "../cases/find-target.ts";
import type { GivenTarget } from "../cases/given-target.schema.ts";
import { lockCase } from "../cases/lock-case.ts";
import { openCase } from "../cases/open-case.ts";
import { decide, type GivenDecision } from "./decide.ts";

/**
 * Acts on a case: POST /api/mod/cases/{id}/act (0062). If two calls act at once, one of them gets
 * `case_changed`.
 * @throws HubError `case_not_found`, `case_changed`, `not_owner`, `own_decision`, those of decide
 */
export async function actOnCase(
  ctx: AccountContext,
  { id, revision, ...given }: GivenDecision & { id: number; revision: number },
) {
  const actor = actorOf(ctx.caller);
  const { announce, ...done } = await ctx.db.transaction().execute(async (tx) => {
    const subject = await lockCase(tx, id, revision);
    const isOfStaff = await assertMayDecide(ctx, tx, subject.account_id);
    if (subject.state === "appealed") await assertNotOwnDecision(tx, subject, actor, isOfStaff);
    const decided = await decide({ hub: ctx.hub, actor }, tx, subject, given);
    return { ...decided, revision: subject.revision };
  });
  announce();
  return { message: "Done.", ...done };
}

/**
 * Opens a case without a report: POST /api/mod/cases (0062).
 * @throws HubError those of findUnreported
 */
export async function openCaseOfStaff(ctx: AccountContext, given: GivenTarget) {
  const target = await findUnreported(ctx, given);
  return ctx.db.transaction().execute(async (tx) => {
    const opened = await openCase(tx, ctx.hub.vault, target);
    const actor = actorOf(ctx.caller);
    await writeAudit(tx, { actor, action: "open-case", target: target.row.target });
    return opened;
  });
}

/**
 * Returns whether the case is about a member of the staff.
 * @throws HubError `not_owner` for a case about the caller, and if a moderator acts on staff
 */
async function assertMayDecide(
  { caller }: AccountContext,
  tx: Db,
  accountId: number | null,
): Promise<boolean> {
  if (accountId === null) return false;
  if (accountId === caller.account.id) {
    throw new HubError("not_owner", { message: "Nobody decides a case about themselves." });
  }
  const staff = await staffAccounts(tx).where("id", "=", accountId).executeTakeFirst();
  if (staff && caller.account.role !== "admin") {
    throw new HubError("not_owner", { message: "Only an admin can act on a member of the staff." });
  }
  return staff !== undefined;
}

/**
 * @throws HubError `own_decision` if the appeal is against the actor, and other staff can decide it:
 *   neither the appellant nor the decider of another open appeal of the case, not suspended, not
 *   being deleted, and an admin if the case is about staff
 */
async function assertNotOwnDecision(
  tx: Db,
  { id, account_id }: Selectable<Tables["mod_cases"]>,
  actor: string,
  isOfStaff: boolean,
): Promise<void> {
  const open = await tx
    .selectFrom("mod_decisions")
    .select("decided_by")
    .where("case_id", "=", id)
    .where("appealed_at", "is not", null)
    .where("appeal_outcome", "is", null)
    .execute();
  const deciders = open.map(({ decided_by }) => decided_by);
  if (!deciders.includes(actor)) return;
  const other = await staffAccounts(tx)
    .where("role", "in", isOfStaff ? ["admin"] : STAFF)
    .where("id", "is distinct from", account_id)
    .where(sql<string>`'account:' || id`, "not in", deciders)
    .where(effectiveRestriction("suspension"), "is", null)
    .where("deletes_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (other) throw new HubError("own_decision");
}

const STAFF = ["moderator", "admin"];

const staffAccounts = (tx: Db) => tx.selectFrom("accounts").select("id").where("role", "in", STAFF);
