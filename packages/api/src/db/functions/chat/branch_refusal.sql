-- Decides whether a participant may continue a room's tree under a message (0038). Returns the code
-- of the failure, or null. A reply alone continues a question; leaf is the end of the room's path.
create or replace function branch_refusal(
    of_room bigint, of_owner text, leaf bigint, asker text, under bigint, is_reply_alone boolean)
  returns text language plpgsql stable as $$
  declare
    line chat_messages%rowtype;
    asked chat_messages%rowtype;
    siblings int;
  begin
    if under > 0 or is_reply_alone then
      select * into line from chat_messages
        where chat_messages.room_id = of_room and chat_messages.id = under;
      -- A soul answers no message that it may not read.
      if not found or (is_reply_alone
          and (line.removed_at is not null or line.role <> 'user' or line.audience <> 'room')) then
        return 'message_not_found';
      end if;
    end if;
    -- Participants other than the owner branch at their own last question only, while no other
    -- person's message follows it on the path. Their own words to the people are no question.
    if of_owner <> asker and (is_reply_alone or under <> leaf) then
      select * into asked from newest_heard_messages(of_room, leaf, asker, 20) as newest
        where newest.role = 'user' order by newest.id desc limit 1;
      -- The parentheses keep PL/pgSQL from reading the first "then" as the end of the condition.
      if asked.sender is distinct from asker or under is distinct from
          (case when is_reply_alone then asked.id else coalesce(asked.parent_id, asked.prev_id) end)
      then
        return case when line.removed_at is null then 'not_owner' else 'message_not_found' end;
      end if;
    end if;
    -- Under a removed message, a question can only be rewritten.
    if line.removed_at is not null and not exists (
        select from chat_messages as child
          where child.room_id = of_room and child.prev_id = under and child.parent_id is null
            and child.role = 'user'
        union all
        select from chat_messages as child
          where child.room_id = of_room and child.id > under and child.parent_id = under
            and child.role = 'user') then
      return 'message_not_found';
    end if;
    select count(*) into siblings from (
      select 1 from chat_messages as child
        where child.room_id = of_room and child.prev_id = under and child.parent_id is null
      union all (
        select 1 from chat_messages as child
          where child.room_id = of_room and child.id > under and child.parent_id = under limit 20)
    ) as children;
    if siblings >= 20 then return 'limit_reached'; end if;
    return null;
  end $$
