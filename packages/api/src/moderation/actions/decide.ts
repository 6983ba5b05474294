import { type Selectable, sql } from "kysely";
import { writeAudit } from "../../audit/write-audit.ts";
import type { Hub } from "../../context.ts";
import type { Db, Tables } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import type { Action, Reason } from "../moderation.schema.ts";
import { mailNotice } from "../notices/mail-notice.ts";
import type { Announce } from "./deed.ts";
import { effects } from "./effects.ts";

/** Days in which the account concerned may appeal, and in which the evidence is kept (0062). */
const APPEAL_DAYS = 30;

export interface GivenDecision {
  action: Action;
  reason: Reason;
  /** The message to the account concerned. */
  message: string;
  /** Null for a suspension without end, and for other actions. */
  days: number | null;
}

/**
 * Decides a case within a given transaction: effect, notice and audit row (0062). The caller has
 * locked the case and checked the actor.
 * @returns the decision's id, and a function to call after the commit
 * @throws HubError those of the action's effect
 */
export async function decide(
  { hub, actor }: { hub: Hub; actor: string },
  tx: Db,
  subject: Selectable<Tables["mod_cases"]>,
  { action, reason, message, days }: GivenDecision,
): Promise<{ decision_id: number; announce: Announce }> {
  const { id: case_id, account_id } = subject;
  const decision = await tx
    .insertInto("mod_decisions")
    .values({
      case_id,
      account_id,
      action,
      reason,
      message,
      decided_by: actor,
      until: sql<string | null>`hub_now() + make_interval(days => ${days}::int)`,
      appeal_until: sql<string>`hub_now() + make_interval(days => ${APPEAL_DAYS}::int)`,
    })
    .returning(["id", "until"])
    .executeTakeFirstOrThrow();
  const tell = await effects[action](tx, { hub, subject, decision: { ...decision, reason } });
  if (subject.state === "appealed") await decideAppeal(tx, case_id, action);
  await tx.updateTable("mod_cases").set({ state: "closed" }).where("id", "=", case_id).execute();
  const detail = { case: case_id, decision: decision.id, reason };
  const verb = action.replaceAll("_", "-");
  await writeAudit(tx, { actor, action: verb, target: subject.target, detail });
  const announce = () => {
    tell?.();
    if (account_id !== null) mailNotice(hub, account_id, { action, message, ...decision });
  };
  return { decision_id: decision.id, announce };
}

const decideAppeal = (tx: Db, caseId: number, action: Action) =>
  tx
    .updateTable("mod_decisions")
    .set({ appeal_outcome: action === "restore" ? "restored" : "upheld" })
    .where("case_id", "=", caseId)
    .where("appealed_at", "is not", null)
    .where("appeal_outcome", "is", null)
    .execute();

/**
 * Locks a case for a decision and takes its next revision.
 * @param revision the revision that the actor has read; undefined for any
 * @throws HubError `case_not_found`, `case_changed`
 */
export async function lockCase(tx: Db, id: number, revision: number | undefined) {
  const subject = await tx
    .selectFrom("mod_cases")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!subject) throw new HubError("case_not_found");
  if (revision !== undefined && subject.revision !== revision) throw new HubError("case_changed");
  const next = { revision: subject.revision + 1 };
  await tx.updateTable("mod_cases").set(next).where("id", "=", id).execute();
  return { ...subject, ...next };
}
