-- Returns the rooms that a soul takes with it when it is deleted (0076): those in which nobody but its
-- author has written.
create or replace function rooms_to_drop(of_soul bigint)
  returns setof bigint language plpgsql stable as $$
  declare
    author constant text := (select 'account:' || user_id from souls where souls.id = of_soul);
  begin
    return query select room.id from chat_rooms as room
      where room.soul_id = of_soul and room.owner = author and not exists (
        select from chat_messages as line
          where line.room_id = room.id and line.role = 'user' and line.sender <> author);
  end $$
