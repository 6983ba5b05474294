-- Returns a room's newest messages, or those before an id, newest first. With fewer messages in the
-- average room than asked for, the planner would read and sort all messages of a long room (0032).
create or replace function newest_messages(of_room bigint, before bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  begin
    return query select * from chat_messages as line
      where line.room_id = of_room and line.id < coalesce(before, 9223372036854775807)
      order by line.id desc limit at_most;
  end $$
