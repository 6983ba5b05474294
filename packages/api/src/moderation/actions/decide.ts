import { type Selectable, sql } from "kysely";
import { type AuditEntry, writeAudit } from "../../audit/write-audit.ts";
import type { Hub } from "../../context.ts";
import type { Db, Tables } from "../../db/database.ts";
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
  /** The action whose decisions a restore takes back; undefined for all of the case. */
  only?: Action;
}

interface Decided {
  decision_id: number;
  /** To be called after the commit. */
  announce: Announce;
}

type Decider = { hub: Hub; actor: string };
type Subject = Selectable<Tables["mod_cases"]>;

/**
 * Decides a case within a given transaction: effect, notice and audit row (0062). The caller has
 * locked the case and checked the actor. The transaction ends with it, since the lock of the audit
 * log comes last.
 * @throws HubError those of the action's effect
 */
export async function decide(
  by: Decider,
  tx: Db,
  subject: Subject,
  given: GivenDecision,
): Promise<Decided> {
  const { entry, ...decided } = await settle(by, tx, subject, given);
  await writeAudit(tx, entry);
  return decided;
}

/** Decides several cases as {@link decide} does, before the first of their audit rows. */
export async function decideAll(
  by: Decider,
  tx: Db,
  subjects: readonly Subject[],
  given: GivenDecision,
): Promise<Decided[]> {
  const settled = [];
  for (const subject of subjects) settled.push(await settle(by, tx, subject, given));
  for (const { entry } of settled) await writeAudit(tx, entry);
  return settled;
}

async function settle(
  { hub, actor }: Decider,
  tx: Db,
  subject: Subject,
  { action, reason, message, days, only }: GivenDecision,
): Promise<Decided & { entry: AuditEntry }> {
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
  const tell = await effects[action](tx, { hub, subject, decision: { ...decision, reason }, only });
  if (subject.kind === "soul") await listAgain(tx, subject.soul_id);
  if (subject.state === "appealed") await decideAppeals(tx, case_id, action, only);
  await closeCase(tx, case_id);
  const detail = { case: case_id, decision: decision.id, reason };
  const entry = { actor, action: action.replaceAll("_", "-"), target: subject.target, detail };
  const announce = () => {
    tell?.();
    if (account_id !== null) mailNotice(hub, account_id, { action, message, ...decision });
  };
  return { decision_id: decision.id, announce, entry };
}

/** Staff have seen the reports of a soul, so its listing does not wait for them any more. */
async function listAgain(tx: Db, soulId: number | null): Promise<void> {
  await tx.updateTable("souls").set({ is_listed: true }).where("id", "=", soulId).execute();
}

async function decideAppeals(tx: Db, caseId: number, action: Action, only: Action | undefined) {
  const appeals = tx
    .updateTable("mod_decisions")
    .set({ appeal_outcome: action === "restore" ? "restored" : "upheld" })
    .where("case_id", "=", caseId)
    .where("appealed_at", "is not", null)
    .where("appeal_outcome", "is", null);
  await (only ? appeals.where("action", "=", only) : appeals).execute();
}

/** Closes a case, unless an appeal against another of its decisions still waits. */
const closeCase = (tx: Db, caseId: number) =>
  tx
    .updateTable("mod_cases")
    .set({
      state: sql<string>`case when exists (select from mod_decisions
        where case_id = ${caseId} and appealed_at is not null and appeal_outcome is null)
        then 'appealed' else 'closed' end`,
    })
    .where("id", "=", caseId)
    .execute();
