-- Counts the rooms that claim_guest would move, without those in which nothing is said (0077).
create or replace function guest_room_count(of_guest text, out guest_rooms int)
  language plpgsql stable as $$
  begin
    select count(*) into guest_rooms from chat_rooms as room
      where room.id in (select rooms_of_guest(of_guest)) and room.head_id > 0
        and not exists (select from claimed_guests where claimed_guests.guest = of_guest);
  end $$
