-- Writes back what purge_message deleted, under the room's lock and the room's next revision (0062).
-- sealed holds the message's columns, its reactions, the room's summaries and the room's present
-- summary as they were before. The present summary returns unless another one was made meanwhile;
-- then the message is not part of it, and the newest one without it is chosen. Texts that changed
-- meanwhile stay away: a sealed summary may repeat what an account that was deleted has written, or
-- what another message of the room said before it was removed or edited. So do the reactions of
-- deleted accounts (0063).
create or replace function restore_message(of_room bigint, of_message bigint, sealed jsonb)
  returns bigint language plpgsql as $$
  declare
    next_number bigint := next_revision(of_room);
    room chat_rooms%rowtype;
    line chat_messages%rowtype;
    removal bigint := (select known.revision from chat_messages as known
      where known.id = of_message);
    is_stale boolean := exists (select from chat_messages as known
      where known.room_id = of_room and starts_with(known.sender, 'deleted:'))
      or exists (select from chat_messages as known
        where known.room_id = of_room and known.id <> of_message and known.revision > removal
          and (known.removed_at is not null or known.edited_at is not null));
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    line := jsonb_populate_record(null::chat_messages, sealed -> 'line');
    update chat_messages as known set content = line.content, edited_at = line.edited_at,
        edited_by = case
          when line.edited_by is not null and starts_with(
            case known.role when 'user' then known.sender else room.owner end, 'deleted:')
            then 'Deleted' else line.edited_by end,
        removed_at = null, removed_by = null, revision = next_number
      where known.id = of_message;
    insert into message_reactions
      select known.*
        from jsonb_populate_recordset(null::message_reactions, sealed -> 'reactions') as known
        where not starts_with(known.participant, 'account:') or exists (select from accounts
          where accounts.id = substring(known.participant from '^account:(\d+)$')::bigint)
      on conflict do nothing;
    insert into room_summaries
      select * from jsonb_populate_recordset(null::room_summaries, sealed -> 'summaries')
        where not is_stale
      on conflict do nothing;
    if line.audience = 'room' then
      if not is_stale and room.summary is not distinct from sealed #>> '{after,summary}'
          and room.summarised_to = (sealed #>> '{after,summarised_to}')::bigint then
        update chat_rooms set summary = sealed #>> '{before,summary}',
            summarised_to = (sealed #>> '{before,summarised_to}')::bigint, folding_until = null
          where chat_rooms.id = of_room;
      else
        perform summaries_without(of_room, of_message, false);
      end if;
    end if;
    return next_number;
  end $$
