import type { Selectable } from "kysely";
import type { AccountContext } from "../../accounts/caller.ts";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { Db, Tables } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { findTarget } from "../cases/find-target.ts";
import type { GivenTarget } from "../cases/given-target.schema.ts";
import { openCase } from "../cases/open-case.ts";
import { decide, type GivenDecision, lockCase } from "./decide.ts";

/**
 * Acts on a case: POST /api/mod/cases/{id}/act (0062). Of two who act at once, one is told that the
 * case has changed.
 * @throws HubError `case_not_found`, `case_changed`, `not_owner`, `own_decision`, those of decide
 */
export async function actOnCase(
  ctx: AccountContext,
  { id, revision, ...given }: GivenDecision & { id: number; revision: number },
) {
  const actor = actorOf(ctx.caller);
  const { announce, ...done } = await ctx.db.transaction().execute(async (tx) => {
    const subject = await lockCase(tx, id, revision);
    await assertNotOfStaff(ctx, tx, subject.account_id);
    await assertNotOwnDecision(tx, subject, actor, ctx.caller.account.id);
    const decided = await decide({ hub: ctx.hub, actor }, tx, subject, given);
    return { ...decided, revision: subject.revision };
  });
  announce();
  return { message: "Done.", ...done };
}

/**
 * Opens a case without a report: POST /api/mod/cases (0062).
 * @throws HubError those of findTarget
 */
export async function openCaseOfStaff(ctx: AccountContext, given: GivenTarget) {
  const target = await findTarget(ctx, given);
  return ctx.db.transaction().execute(async (tx) => {
    const opened = await openCase(tx, ctx.hub.vault, target);
    const actor = actorOf(ctx.caller);
    await writeAudit(tx, { actor, action: "open-case", target: target.row.target });
    return opened;
  });
}

/** @throws HubError `not_owner` if a moderator acts on staff; admins may */
async function assertNotOfStaff(ctx: AccountContext, tx: Db, accountId: number | null) {
  if (accountId === null || ctx.caller.account.role === "admin") return;
  const staff = await staffAccounts(tx).where("id", "=", accountId).executeTakeFirst();
  if (!staff) return;
  throw new HubError("not_owner", { message: "Only an admin can act on a member of the staff." });
}

/** @throws HubError `own_decision` if the appeal is against the actor, and there is other staff */
async function assertNotOwnDecision(
  tx: Db,
  { id, state }: Selectable<Tables["mod_cases"]>,
  actor: string,
  accountId: number,
): Promise<void> {
  if (state !== "appealed") return;
  const own = await tx
    .selectFrom("mod_decisions")
    .select("id")
    .where("case_id", "=", id)
    .where("decided_by", "=", actor)
    .where("appealed_at", "is not", null)
    .where("appeal_outcome", "is", null)
    .executeTakeFirst();
  if (!own) return;
  const other = await staffAccounts(tx).where("id", "<>", accountId).limit(1).executeTakeFirst();
  if (other) throw new HubError("own_decision");
}

const staffAccounts = (tx: Db) =>
  tx.selectFrom("accounts").select("id").where("role", "in", ["moderator", "admin"]);
