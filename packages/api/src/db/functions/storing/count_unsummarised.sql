-- Counts the lines of a room's path that souls read and the summary does not cover. Counting stops at
-- 50, which is enough to decide whether a summary is due.
create or replace function count_unsummarised(room chat_rooms)
  returns int language plpgsql stable as $$
  begin
    if room.is_branched then
      return (select count(*)
        from newest_open_messages(room.id, coalesce(room.active_id, room.head_id), 50) as line
        where line.id > room.summarised_to);
    end if;
    return (select count(*) from (
      select from chat_messages as line
      where line.room_id = room.id and line.id > room.summarised_to and line.audience = 'room'
      limit 50) as lines);
  end $$
