import { type RawBuilder, sql } from "kysely";
import { hashDeletedName } from "../../accounts/deleted-names/deleted-names.ts";
import { DELETED } from "../../chat/chat-message.entity.ts";
import { type DeletionStep, DONE, type DueAccount } from "../due-account.ts";

/** Rows of one transaction. */
const ROWS = 1_000;

/** A step that runs a statement until it changes less than {@link ROWS} rows. */
const inParts =
  (statement: (account: DueAccount) => RawBuilder<unknown>): DeletionStep =>
  async (tx, account) => {
    const { numAffectedRows = 0n } = await statement(account).execute(tx);
    return { hasMore: Number(numAffectedRows) === ROWS };
  };

/** Deletes or changes rows of cases under the locks of these cases, in the order of locks (0062). */
const ofCases =
  (
    cases: (account: DueAccount) => RawBuilder<unknown>,
    statement: (account: DueAccount) => RawBuilder<unknown>,
  ): DeletionStep =>
  async (tx, account) => {
    await sql`select from mod_cases where ${cases(account)} order by id for update`.execute(tx);
    await statement(account).execute(tx);
    return DONE;
  };

/** What else names the account, table by table. Usage stays for the operator's sums. */
export const clearTraces: readonly DeletionStep[] = [
  inParts(
    ({ id }) => sql`delete from room_people where ctid = any(array(
      select ctid from room_people where participant = ${`account:${id}`} limit ${ROWS}))`,
  ),
  inParts(
    ({ id }) => sql`update model_usage set account_id = null where id in (
      select id from model_usage where account_id = ${id} limit ${ROWS})`,
  ),
  inParts(
    ({ id }) => sql`delete from archive_imports where ctid = any(array(
      select ctid from archive_imports where account_id = ${id} limit ${ROWS}))`,
  ),
  inParts(
    ({ id }) => sql`update quota_days set subject = ${`${DELETED}${id}`}
      where subject = ${`account:${id}`}`,
  ),
  inParts(
    ({ id }) => sql`update reserved_rooms set owner = ${`${DELETED}${id}`}
      where ctid = any(array(
        select ctid from reserved_rooms where owner = ${`account:${id}`} limit ${ROWS}))`,
  ),
  // Cases outlive the account. Their evidence is sealed, and ends as it would have (0062).
  inParts(
    ({ id, messages }) => sql`update mod_reports
      set reporter = ${`${DELETED}${id}`}, reporter_name = 'Deleted',
        note = case when ${messages === "erase"} then '' else note end
      where id in (select id from mod_reports where reporter = ${`account:${id}`} limit ${ROWS})`,
  ),
  ofCases(
    ({ id }) => sql`target = ${`account:${id}`}`,
    ({ id }) => sql`update mod_cases set target = ${`${DELETED}${id}`}
      where target = ${`account:${id}`}`,
  ),
  ofCases(
    ({ id }) => sql`id in (select case_id from mod_decisions
      where account_id = ${id} and appeal_text is not null)`,
    ({ id, messages }) => sql`update mod_decisions set appeal_text = null
      where account_id = ${id} and appeal_text is not null and ${messages === "erase"}`,
  ),
  // Staff could write a removed text back.
  ofCases(
    ({ id }) => sql`account_id = ${id} and exists (select from mod_evidence
      where mod_evidence.case_id = mod_cases.id)`,
    ({ id, messages }) => sql`delete from mod_evidence using mod_cases
      where mod_cases.id = case_id and mod_cases.account_id = ${id} and state = 'closed'
        and mod_evidence.kind = 'removed' and ${messages === "erase"}`,
  ),
];

/** Deletes the account itself, with its keys, sessions and blocks, and remembers its name. */
export const deleteAccountRow: DeletionStep = async (tx, account, { vault }) => {
  const { id, username_key, created_at, souls, messages } = account;
  const row = {
    account_created_at: created_at,
    name_hash: await hashDeletedName(vault, tx, username_key),
    souls,
    messages,
  };
  await tx
    .insertInto("deleted_accounts")
    .values({ account_id: id, ...row })
    // A restored backup brought the account back.
    .onConflict((known) => known.column("account_id").doUpdateSet(row))
    .execute();
  await tx.deleteFrom("accounts").where("id", "=", id).execute();
  return DONE;
};
