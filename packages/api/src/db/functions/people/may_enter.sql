-- Decides whether a participant may enter a room whose soul it may use (0040). The owner may. A ban
-- in effect keeps any other participant out, a private room admits only its members, and a room that
-- the hub's staff have closed admits none of them (0062).
create or replace function may_enter(
    of_room bigint, of_owner text, is_room_private boolean, of_participant text)
  returns boolean language plpgsql stable as $$
  begin
    if of_owner = of_participant then return true; end if;
    if room_restriction(of_room, of_participant) = 'banned'
        or exists (select from chat_rooms where id = of_room and is_closed) then
      return false;
    end if;
    return not is_room_private or exists (
      select from room_people
        where room_id = of_room and participant = of_participant and is_member);
  end $$
