-- Returns the newest messages that souls read, newest first (0041): those on the path that ends at a
-- leaf, or without a leaf those of the whole log, in a room that never branched. Messages for people
-- only take no place among them. As in newest_messages, the planner may not read more messages than
-- asked for (0032).
create or replace function newest_open_messages(of_room bigint, leaf bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  declare
    range_start bigint;
    range_end bigint := coalesce(leaf, 9223372036854775807);
    parent bigint;
    wanted int := at_most;
    returned int;
  begin
    while range_end > 0 and wanted > 0 loop
      if leaf is not null then
        select line.id, line.parent_id into range_start, parent from chat_messages as line
          where line.room_id = of_room and line.id <= range_end and line.parent_id is not null
          order by line.id desc limit 1;
      end if;
      return query select * from chat_messages as line
        where line.room_id = of_room and line.id >= coalesce(range_start, 0)
          and line.id <= range_end and line.audience = 'room'
          and line.removed_at is null and (line.role = 'user' or (
              select asked.role = 'user' and asked.removed_at is null from chat_messages as asked
              where asked.id = coalesce(line.parent_id, line.prev_id))
            or is_read_by_souls(line.role, line.removed_at, coalesce(line.parent_id, line.prev_id)))
        order by line.id desc limit wanted;
      get diagnostics returned = row_count;
      wanted := wanted - returned;
      -- Null after the first range of the log, which ends the loop.
      range_end := parent;
    end loop;
  end $$
