-- Returns the restriction of a participant of a room that is in effect, or null (0040). PL/pgSQL
-- keeps its plan. PostgreSQL before 18 plans a function in SQL at each call (0015).
create or replace function room_restriction(of_room bigint, of_participant text)
  returns text language plpgsql stable as $$
  begin
    return (select restriction from room_people
      where room_id = of_room and participant = of_participant
        and (restricted_until is null or restricted_until > hub_now()));
  end $$
