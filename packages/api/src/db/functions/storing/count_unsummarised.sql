-- Counts the lines of a room's path that souls read and the summary does not cover. Counting stops at
-- 50, which is enough to decide whether a summary is due. leaf is the end of the path.
create or replace function count_unsummarised(
    of_room bigint, is_branched boolean, leaf bigint, summarised_to bigint)
  returns int language plpgsql stable as $$
  begin
    if is_branched then
      return (select count(*) from newest_open_messages(of_room, leaf, 50) as line
        where line.id > summarised_to);
    end if;
    return (select count(*) from (
      select from chat_messages as line
      where line.room_id = of_room and line.id > summarised_to and line.audience = 'room'
          and line.removed_at is null and (line.role = 'user' or (
              select asked.role = 'user' and asked.removed_at is null from chat_messages as asked
              where asked.id = coalesce(line.parent_id, line.prev_id))
            or is_read_by_souls(line.role, line.removed_at, coalesce(line.parent_id, line.prev_id)))
      limit 50) as lines);
  end $$
