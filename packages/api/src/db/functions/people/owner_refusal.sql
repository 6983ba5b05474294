-- Returns why a room's owner keeps a participant out of all of its rooms, or null: `blocked` if the
-- owner has blocked the participant (0064), `private_session` while the owner's account is being
-- deleted (0063). Guests and former accounts neither block nor are blocked. PL/pgSQL keeps the plans
-- of this function. PostgreSQL before 18 plans a function in SQL at each call (0015).
create or replace function owner_refusal(of_owner text, of_participant text)
  returns text language plpgsql stable as $$
  declare
    owner_id constant bigint := substring(of_owner from '^account:(\d+)$');
    participant_id constant bigint := substring(of_participant from '^account:(\d+)$');
  begin
    if exists (select from blocks
        where blocker_id = owner_id and blocked_id = participant_id) then
      return 'blocked';
    end if;
    if exists (select from account_deletions where account_id = owner_id) then
      return 'private_session';
    end if;
    return null;
  end $$
