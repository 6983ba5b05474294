-- Returns the messages after an id that souls read, oldest first (0041): those on the path that ends
-- at a leaf, or without a leaf those of the whole log, in a room that never branched. As in
-- newest_messages, the planner may not read more messages than asked for (0032).
create or replace function open_messages_after(
    of_room bigint, leaf bigint, after bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  declare
    on_path int8multirange;
  begin
    if leaf is null then
      return query select * from chat_messages as line
        where line.room_id = of_room and line.id > after and line.audience = 'room'
          and line.removed_at is null and (line.role = 'user' or (
              select asked.role = 'user' and asked.removed_at is null from chat_messages as asked
              where asked.id = coalesce(line.parent_id, line.prev_id))
            or is_read_by_souls(line.role, line.removed_at, coalesce(line.parent_id, line.prev_id)))
        order by line.id limit at_most;
    else
      on_path := path_ranges(of_room, leaf, after + 1);
      return query select * from chat_messages as line
        where line.room_id = of_room and line.id > after and line.audience = 'room'
          and line.removed_at is null and (line.role = 'user' or (
              select asked.role = 'user' and asked.removed_at is null from chat_messages as asked
              where asked.id = coalesce(line.parent_id, line.prev_id))
            or is_read_by_souls(line.role, line.removed_at, coalesce(line.parent_id, line.prev_id)))
          and line.id <@ on_path
        order by line.id limit at_most;
    end if;
  end $$
