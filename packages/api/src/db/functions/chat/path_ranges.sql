-- Returns the ids of the path that ends at a leaf, as ranges of the log, down to an id (0038). The
-- ranges also contain ids of other rooms.
create or replace function path_ranges(of_room bigint, leaf bigint, down_to bigint)
  returns int8multirange language plpgsql stable as $$
  declare
    ranges int8range[] := '{}';
    range_start bigint;
    range_end bigint := leaf;
    parent bigint;
  begin
    while range_end >= greatest(down_to, 1) loop
      select line.id, line.parent_id into range_start, parent from chat_messages as line
        where line.room_id = of_room and line.id <= range_end and line.parent_id is not null
        order by line.id desc limit 1;
      ranges := ranges || int8range(coalesce(range_start, 1), range_end, '[]');
      range_end := parent;
    end loop;
    -- Adding each range to a multirange would copy it each time: minutes for 10,000 branches.
    return (select coalesce(range_agg(range), '{}') from unnest(ranges) as range);
  end $$
