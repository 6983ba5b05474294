-- Returns why a room's owner keeps a participant out of all of its rooms, or null: `blocked` if the
-- owner has blocked the participant (0064), `private_session` while the owner's account is being
-- deleted (0063). Guests and former accounts neither block nor are blocked.
create or replace function owner_refusal(of_owner text, of_participant text)
  returns text language sql stable as $$
    select case
      when exists (select from blocks
        where blocker_id = substring(of_owner from '^account:(\d+)$')::bigint
          and blocked_id = substring(of_participant from '^account:(\d+)$')::bigint) then 'blocked'
      when exists (select from account_deletions
        where account_id = substring(of_owner from '^account:(\d+)$')::bigint)
        then 'private_session' end
  $$
