-- Returns the newest messages of the path that ends at a leaf, newest first, without a participant's
-- own words to the people: they take no place among those that decide what it may rewrite (0038). As
-- in newest_messages, the planner may not read more messages than asked for (0032).
create or replace function newest_heard_messages(
    of_room bigint, leaf bigint, participant text, at_most int)
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
          and line.id <= range_end and (line.audience = 'room' or line.sender <> participant)
        order by line.id desc limit wanted;
      get diagnostics returned = row_count;
      wanted := wanted - returned;
      -- Null after the first range of the log, which ends the loop.
      range_end := parent;
    end loop;
  end $$
