-- Returns the participant to whom a reply belongs: the account that has claimed the guest since the
-- units were reserved, else the asker (0077). The lock lasts until the reply is stored: a claim waits
-- for it, or is seen here.
create or replace function asker_now(asker text, hold bigint)
  returns text language plpgsql as $$
  begin
    if asker not like 'guest:%' then return asker; end if;
    perform pg_advisory_xact_lock_shared(hashtextextended(asker, 0));
    return coalesce((select 'account:' || claimed.account_id from claimed_guests as claimed
      where claimed.guest = asker and claimed.holds_to >= hold), asker);
  end $$
