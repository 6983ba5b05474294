-- Returns the messages after an id on the path that ends at a leaf, oldest first (0038). As in
-- newest_messages, the planner may not read more messages than asked for (0032).
create or replace function path_messages_after(
    of_room bigint, leaf bigint, after bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  declare
    on_path int8multirange := path_ranges(of_room, leaf, after + 1);
  begin
    return query select * from chat_messages as line
      where line.room_id = of_room and line.id > after and line.id <@ on_path
      order by line.id limit at_most;
  end $$
