-- Returns the beginning of a room's first message that its souls read and that was not removed. As
-- in newest_messages, the planner may not read more messages than needed (0032).
create or replace function first_open_message(of_room bigint)
  returns text language plpgsql stable set enable_sort = off as $$
  begin
    return (select left(line.content, 500) from chat_messages as line
      where line.room_id = of_room and line.audience = 'room' and line.removed_at is null
      order by line.id limit 1);
  end $$
