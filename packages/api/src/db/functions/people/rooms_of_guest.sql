-- Returns the rooms that a guest began or wrote in during the last 7 days (0077). Older ones may be
-- those of another person at the same machine.
create or replace function rooms_of_guest(of_guest text)
  returns setof bigint language plpgsql stable as $$
  declare
    since constant timestamptz := hub_now() - interval '7 days';
  begin
    return query
      select line.room_id from chat_messages as line
        where line.sender = of_guest and line.created_at > since
      union select room.id from chat_rooms as room
        where room.owner = of_guest and room.created_at > since;
  end $$
