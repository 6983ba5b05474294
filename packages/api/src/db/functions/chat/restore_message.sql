-- Writes back what purge_message deleted, under the room's lock and the room's next revision (0062).
-- sealed holds the message's columns, its reactions, the room's summaries and the room's present
-- summary as they were before. The present summary returns unless another one was made meanwhile;
-- then the message is not part of it, and the newest one without it is chosen.
create or replace function restore_message(of_room bigint, of_message bigint, sealed jsonb)
  returns bigint language plpgsql as $$
  declare
    next_number bigint := next_revision(of_room);
    room chat_rooms%rowtype;
    line chat_messages%rowtype;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    line := jsonb_populate_record(null::chat_messages, sealed -> 'line');
    update chat_messages set content = line.content, edited_at = line.edited_at,
        edited_by = line.edited_by, removed_at = null, removed_by = null, revision = next_number
      where chat_messages.id = of_message;
    insert into message_reactions
      select * from jsonb_populate_recordset(null::message_reactions, sealed -> 'reactions')
      on conflict do nothing;
    insert into room_summaries
      select * from jsonb_populate_recordset(null::room_summaries, sealed -> 'summaries')
      on conflict do nothing;
    if line.audience = 'room' then
      if room.summary is not distinct from sealed #>> '{after,summary}'
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
