import type { CopyPort } from "../archive/copy-port.ts";

/** The deletions that a database knows of, as JSON. */
export type KnownDeletions = Record<"closed" | "deleted" | "keys", string>;

/**
 * Reads the deletions of the data that a restore replaces (0063). A backup does not know of those
 * that were asked for after it.
 * @returns null if the data is of a release without deletions, or cannot be read
 */
export async function readDeletions({ query }: CopyPort): Promise<KnownDeletions | null> {
  try {
    const [known] = await query<KnownDeletions>(
      `select
        (select coalesce(json_agg(known), '[]')::text from (
          select account_id, created_at, souls, messages, deletes_at
            from account_deletions join accounts on accounts.id = account_id
          union all
          select account_id, account_created_at, souls, messages, deleted_at
            from deleted_accounts) as known) as closed,
        (select coalesce(json_agg(row), '[]')::text from deleted_accounts as row) as deleted,
        (select coalesce(json_agg(row), '[]')::text from deleted_name_keys as row) as keys`,
    );
    return known ?? null;
  } catch {
    return null;
  }
}

/**
 * Tells a restored database of deletions that it does not know (0063). The first sweep of its hub
 * hides the souls of these accounts, and deletes the accounts whose time is up. An account is known
 * by its id and the time of its creation, since a restored hub may give an id again.
 */
export async function writeDeletions(
  { query }: CopyPort,
  { closed, deleted, keys }: KnownDeletions,
): Promise<void> {
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
  await query(
    `insert into deleted_name_keys
      select * from json_populate_recordset(null::deleted_name_keys, $1::json)
      on conflict do nothing`,
    [keys],
  );
  await query(
    `insert into deleted_accounts
      select * from json_populate_recordset(null::deleted_accounts, $1::json)
      on conflict do nothing`,
    [deleted],
  );
}
