import { actorOf } from "../../audit/write-audit.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { personTarget, type Target, unreportedSoul } from "../cases/find-target.ts";
import { lockCase } from "../cases/lock-case.ts";
import { openCase } from "../cases/open-case.ts";
import type { Action, Reason } from "../moderation.schema.ts";
import { decide, decideAll, type GivenDecision } from "./decide.ts";

interface Why {
  reason: Reason;
  message: string;
}

/**
 * Hides a soul for the operator, or shows it again: POST /api/admin/hide (0062).
 * @throws HubError `soul_not_found`; `case_not_found` if it is to be shown and no decision hides it
 */
export async function hideByOperator(
  ctx: CallContext,
  { soul_id, hidden, ...why }: Why & { soul_id: number; hidden: boolean },
) {
  const soul = await ctx.hub.souls.byId(soul_id);
  if (!soul) throw new HubError("soul_not_found");
  await (hidden
    ? decideNew(ctx, unreportedSoul(soul), { action: "hide_soul", days: null, ...why })
    : restoreAll(ctx, "mod_cases.soul_id", soul_id, { only: "hide_soul", ...why }));
  return { message: `Soul ${soul_id} is ${hidden ? "hidden" : "shown again"}.` };
}

/**
 * Suspends an account for the operator, or lifts its suspension: POST /api/admin/suspend (0062).
 * @throws HubError `user_not_found`; `case_not_found` if it is to be lifted and no decision suspends it
 */
export async function suspendByOperator(
  ctx: CallContext,
  {
    username,
    suspended,
    days,
    ...why
  }: Why & {
    username: string;
    suspended: boolean;
    days: number | null;
  },
) {
  const target = await personTarget(ctx.db, username, "any");
  await (suspended
    ? decideNew(ctx, target, { action: "suspend", days, ...why })
    : restoreAll(ctx, "mod_decisions.account_id", target.row.account_id, {
        only: "suspend",
        ...why,
      }));
  return { message: `${username} is ${suspended ? "suspended" : "no longer suspended"}.` };
}

async function decideNew(ctx: CallContext, target: Target, given: GivenDecision): Promise<void> {
  const { announce } = await ctx.db.transaction().execute(async (tx) => {
    const { id } = await openCase(tx, ctx.hub.vault, target);
    return decide(operatorOf(ctx), tx, await lockCase(tx, id, undefined), given);
  });
  announce();
}

const operatorOf = ({ hub, caller }: CallContext) => ({ hub, actor: actorOf(caller) });

/**
 * Takes back all decisions that hide a soul or suspend an account, and nothing else of their cases.
 * All cases are locked before the first is decided, in the order of locks (0062).
 * @throws HubError `case_not_found`
 */
async function restoreAll(
  ctx: CallContext,
  column: "mod_cases.soul_id" | "mod_decisions.account_id",
  id: number | null,
  given: Why & { only: Action },
): Promise<void> {
  const announcements = await ctx.db.transaction().execute(async (tx) => {
    const inEffect = async () => {
      const cases = await tx
        .selectFrom("mod_decisions")
        .innerJoin("mod_cases", "mod_cases.id", "mod_decisions.case_id")
        .select("mod_cases.id")
        .distinct()
        .where(column, "=", id)
        .where("action", "=", given.only)
        .where("undone_at", "is", null)
        .orderBy("mod_cases.id")
        .execute();
      return cases.map((one) => one.id);
    };
    const locked = [];
    for (const caseId of await inEffect()) locked.push(await lockCase(tx, caseId, undefined));
    // Others may have taken decisions back before the locks were free.
    const left = new Set(await inEffect());
    const subjects = locked.filter((one) => left.has(one.id));
    if (subjects.length === 0) throw new HubError("case_not_found");
    return decideAll(operatorOf(ctx), tx, subjects, { action: "restore", days: null, ...given });
  });
  for (const { announce } of announcements) announce();
}
