-- Locks a visible soul that an account is about to like or rate. failure is the code of a refusal:
-- soul_not_found, or blocked if the soul's owner has blocked the account (0064). The owner's blocks
-- are read once the lock is held, so they include those of a transaction that held it before.
create or replace function lock_soul_to_mark(
    of_soul bigint, marker bigint, out failure text, out soul_title text)
  language plpgsql as $$
  declare
    owner_id bigint;
  begin
    select soul.user_id, soul.title into owner_id, soul_title from souls as soul
      where soul.id = of_soul and (soul.is_public = 1 or soul.user_id = marker) for update;
    if not found then
      failure := 'soul_not_found';
    elsif exists (select from blocks where blocker_id = owner_id and blocked_id = marker) then
      failure := 'blocked';
    end if;
  end $$
