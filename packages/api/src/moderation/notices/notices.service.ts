import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { HubError, invalidField } from "../../errors.ts";
import { appealColumn } from "../cases/appeal.queries.ts";
import { targetFor } from "../cases/case.queries.ts";
import { lockCase } from "../cases/lock-case.ts";
import type { Action, Reason } from "../moderation.schema.ts";
import { type Page, toPage } from "../paging.ts";

/**
 * Lists the decisions about the caller, newest first, or finds one of them: GET /api/notices (0062).
 */
export async function listNotices(
  { db, caller }: AccountContext,
  { decision_id, cursor, limit }: Page & { decision_id?: number | undefined },
) {
  let notices = db
    .selectFrom("mod_decisions")
    .innerJoin("mod_cases", "mod_cases.id", "mod_decisions.case_id")
    .select(["mod_decisions.id", "mod_decisions.id as decision_id", "message"])
    .select(["created_at", "until"])
    .select(["appeal_until", "undone_at", targetFor(caller.account.id), appealColumn])
    .select([sql<Action>`action`.as("action"), sql<Reason>`reason`.as("reason")])
    .where("mod_decisions.account_id", "=", caller.account.id)
    .where("action", "<>", "dismiss");
  if (decision_id !== undefined) notices = notices.where("mod_decisions.id", "=", decision_id);
  if (cursor !== undefined) notices = notices.where("mod_decisions.id", "<", cursor);
  const rows = await notices
    .orderBy("mod_decisions.id", "desc")
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit);
}

/**
 * Records that the caller has seen the decisions about it up to one: PUT /api/notices (0062). The
 * record never goes back, nor beyond the newest decision: a later one is unread.
 */
export async function seeNotices({ db, caller }: AccountContext, seenTo: number) {
  await sql`
    update accounts set notices_seen_to = seen.id
    from (select max(id) as id from mod_decisions
      where account_id = ${caller.account.id} and id <= ${seenTo}) as seen
    where accounts.id = ${caller.account.id} and notices_seen_to < seen.id`.execute(db);
  return { message: "The notices are marked as seen." };
}

/**
 * Appeals against a decision about the caller, once: POST /api/appeals (0062). The case returns to
 * the queue, and gets a new revision: staff cannot act on their earlier view of it.
 * @throws HubError `case_not_found`, `already_appealed`; `invalid_input` after 30 days, for a
 *   restore and for a decision that was taken back
 */
export async function appealDecision(
  { db, caller }: AccountContext,
  { decision_id, text }: { decision_id: number; text: string },
) {
  await db.transaction().execute(async (tx) => {
    const own = tx
      .selectFrom("mod_decisions")
      .where("id", "=", decision_id)
      .where("account_id", "=", caller.account.id)
      .where("action", "<>", "dismiss");
    const found = await own
      .select("case_id")
      .executeTakeFirstOrThrow(() => new HubError("case_not_found"));
    // A change of a decision needs the lock of its case (0062).
    await lockCase(tx, found.case_id, undefined);
    // Its retention may have ended meanwhile.
    const decision = await own
      .select(["case_id", "action", "appealed_at", "undone_at"])
      .select(sql<boolean>`appeal_until > hub_now()`.as("is_in_time"))
      .executeTakeFirstOrThrow(() => new HubError("case_not_found"));
    if (decision.appealed_at !== null) throw new HubError("already_appealed");
    if (!decision.is_in_time) throw refused("can be appealed against for 30 days only");
    if (decision.action === "restore") throw refused("took a decision back");
    if (decision.undone_at !== null) throw refused("was taken back");
    await tx
      .updateTable("mod_decisions")
      .set({ appeal_text: text, appealed_at: sql<string>`hub_now()` })
      .where("id", "=", decision_id)
      .execute();
    await tx
      .updateTable("mod_cases")
      .set({ state: "appealed" })
      .where("id", "=", decision.case_id)
      .execute();
  });
  return { message: "Your appeal is with the staff." };
}

const refused = (message: string) => invalidField("decision_id", message);
