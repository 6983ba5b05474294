-- Returns a room's messages that changed after a revision, lowest revision first. As in
-- newest_messages, the planner may not read more of them than asked for (0032).
create or replace function changed_messages(of_room bigint, after bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  begin
    return query select * from chat_messages as line
      where line.room_id = of_room and line.revision > after and line.revision > 0
      order by line.revision limit at_most;
  end $$
