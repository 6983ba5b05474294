import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";

interface Id {
  id: number;
}

/** Cases of one sweep, which is one transaction. */
const CASES_PER_SWEEP = 200;

/**
 * SQL: a row of `mod_decisions` has an effect whose reason its account may read: a hidden soul, a
 * removed message, a closed room, a restriction. None of a deleted target has.
 */
const isInEffect = sql<SqlBool>`(undone_at is null and exists (
  select from mod_cases as subject where subject.id = mod_decisions.case_id and case action
    when 'hide_soul' then exists (select from soul_holds
      where soul_holds.soul_id = subject.soul_id and soul_holds.kind = 'moderation')
    when 'remove_message' then exists (select from chat_messages
      where chat_messages.id = subject.message_id and removed_by = 'moderator')
    when 'close_room' then exists (select from chat_rooms
      where chat_rooms.id = subject.room_id and is_closed)
    when 'silence' then until is null or until > hub_now()
    when 'suspend' then until is null or until > hub_now()
    else false end)
  and (action not in ('silence', 'suspend') or exists (select from accounts
    where accounts.id = mod_decisions.account_id)))`;

const someDecision = (condition: RawBuilder<SqlBool>) =>
  sql<SqlBool>`exists (select from mod_decisions where case_id = mod_cases.id and ${condition})`;

/**
 * Deletes decided cases with their reports and decisions, some days after the last decision and no
 * earlier than the time for an appeal (0062). Of a case with a decision in effect, this decision
 * stays as long as its effect. Cases that wait for a decision stay. Their evidence ends by itself.
 * @param days the days; 0 deletes nothing
 */
export async function sweepCases(db: Db, days: number): Promise<void> {
  if (days === 0) return;
  const isRecent = sql<SqlBool>`(appeal_until > hub_now()
    or created_at > hub_now() - make_interval(days => ${days}::int))`;
  const isOver = sql<SqlBool>`state = 'closed' and not ${someDecision(isRecent)}`;
  await db.transaction().execute(async (tx) => {
    // A case that staff decide at the moment waits for a later sweep.
    const found = await idsOf(
      tx,
      sql<Id>`select id from mod_cases where ${isOver} and (not ${someDecision(isInEffect)}
          or ${someDecision(sql<SqlBool>`not ${isInEffect}`)}
          or exists (select from mod_reports where case_id = mod_cases.id))
        order by id limit ${CASES_PER_SWEEP}::int for update skip locked`,
    );
    if (found.length === 0) return;
    // Staff may have decided before the lock was there.
    const cases = await idsOf(
      tx,
      sql<Id>`select id from mod_cases where id = any(${found}::bigint[]) and ${isOver}`,
    );
    const ofCases = sql<SqlBool>`case_id = any(${cases}::bigint[])`;
    await sql`delete from mod_reports where ${ofCases}`.execute(tx);
    await sql`delete from mod_decisions where ${ofCases} and not ${isInEffect}`.execute(tx);
    await sql`delete from mod_cases where id = any(${cases}::bigint[])
      and not exists (select from mod_decisions where case_id = mod_cases.id)`.execute(tx);
  });
}

async function idsOf(tx: Db, selected: RawBuilder<Id>): Promise<number[]> {
  const { rows } = await selected.execute(tx);
  return rows.map(({ id }) => id);
}
