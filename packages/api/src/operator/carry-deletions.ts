import type { CopyPort } from "../archive/copy-port.ts";

/** Days in which the owner of an account that was open before the restore may keep it again. */
const DAYS_TO_UNDO = 14;

/** The deletions of a database, as JSON. */
type KnownDeletions = Record<"closed" | "open" | "deleted_accounts" | "deleted_name_keys", string>;

/**
 * Brings the deletions of the data that a restore replaces into the restored data (0063). A backup
 * knows neither of those that were asked for after it, nor of those that were undone. Nothing is
 * brought from data of a release without deletions, or from data that cannot be read.
 */
export async function carryDeletions(former: CopyPort, restored: CopyPort): Promise<void> {
  const [waiting] = await restored.query<{ accounts: string }>(
    `select coalesce(json_agg(waiting), '[]')::text as accounts from (
      select account_id, created_at
        from account_deletions join accounts on accounts.id = account_id) as waiting`,
  );
  const known = await readDeletions(former, waiting?.accounts ?? "[]").catch(() => undefined);
  if (known) await writeDeletions(restored, known);
}

/** @param waiting the accounts that wait for their deletion in the restored data */
async function readDeletions(
  { query }: CopyPort,
  waiting: string,
): Promise<KnownDeletions | undefined> {
  const [known] = await query<KnownDeletions>(
    `select
      (select coalesce(json_agg(known), '[]')::text from (
        select account_id, created_at, souls, messages, deletes_at
          from account_deletions join accounts on accounts.id = account_id
        union all
        select account_id, account_created_at, souls, messages, deleted_at
          from deleted_accounts) as known) as closed,
      (select coalesce(json_agg(id), '[]')::text
        from json_to_recordset($1::json) as waiting (account_id bigint, created_at timestamptz)
        join accounts on accounts.id = account_id and accounts.created_at = waiting.created_at
        where deletes_at is null) as open,
      (select coalesce(json_agg(row), '[]')::text from deleted_accounts as row) as deleted_accounts,
      (select coalesce(json_agg(row), '[]')::text from deleted_name_keys as row) as deleted_name_keys`,
    [waiting],
  );
  return known;
}

/**
 * Tells a restored database of deletions that it does not know (0063). The first sweep of its hub
 * hides the souls of these accounts, and deletes the accounts whose time is up. An account is known
 * by its id and the time of its creation, since a restored hub may give an id again.
 */
async function writeDeletions(
  { query }: CopyPort,
  { closed, open, deleted_accounts, deleted_name_keys }: KnownDeletions,
): Promise<void> {
  // The owner of an open account has undone the deletion, or asked for it after a still older backup.
  await query(
    `update accounts set deletes_at = greatest(deletes_at, now() + make_interval(days => $2::int))
      where id in (select value::bigint from json_array_elements_text($1::json))`,
    [open, DAYS_TO_UNDO],
  );
  await query(
    `with known as (
        select accounts.id, known.souls, known.messages, known.deletes_at
        from json_to_recordset($1::json) as known (account_id bigint, created_at timestamptz,
          souls text, messages text, deletes_at timestamptz)
        join accounts on accounts.id = known.account_id and accounts.created_at = known.created_at),
      added as (
        insert into account_deletions (account_id, souls, messages)
        select id, souls, messages from known on conflict do nothing returning account_id)
    update accounts set deletes_at = known.deletes_at from known join added on account_id = known.id
      where accounts.id = known.id`,
    [closed],
  );
  for (const [table, rows] of Object.entries({ deleted_name_keys, deleted_accounts })) {
    await query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)
        on conflict do nothing`,
      [rows],
    );
  }
  // A new account with the id of a deleted one would replace the record of the deletion.
  await query(
    `select setval(pg_get_serial_sequence('accounts', 'id'), greatest(
      nextval(pg_get_serial_sequence('accounts', 'id')),
      (select max(account_id) from deleted_accounts)))`,
  );
}
