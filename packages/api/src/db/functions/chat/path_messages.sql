-- Returns the newest messages of the path that ends at a leaf, or those before an id, newest first
-- (0038). Between two branches a path is a range of the log. As in newest_messages, the planner may
-- not read more messages than asked for (0032).
create or replace function path_messages(of_room bigint, leaf bigint, before bigint, at_most int)
  returns setof chat_messages language plpgsql stable set enable_sort = off as $$
  declare
    range_start bigint;
    range_end bigint := leaf;
    parent bigint;
    wanted int := at_most;
    returned int;
  begin
    while range_end > 0 and wanted > 0 loop
      select line.id, line.parent_id into range_start, parent from chat_messages as line
        where line.room_id = of_room and line.id <= range_end and line.parent_id is not null
        order by line.id desc limit 1;
      return query select * from chat_messages as line
        where line.room_id = of_room and line.id >= coalesce(range_start, 0)
          and line.id <= least(range_end, before - 1)
        order by line.id desc limit wanted;
      get diagnostics returned = row_count;
      wanted := wanted - returned;
      -- Null after the first range of the log, which ends the loop.
      range_end := parent;
    end loop;
  end $$
