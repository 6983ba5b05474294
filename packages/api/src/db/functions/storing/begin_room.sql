-- Creates the room of a first message, and returns its id. Returns null if the room exists, if its
-- address is reserved for another participant, or without the sealed token, which only a message for
-- a new room has (0042).
create or replace function begin_room(
    of_soul bigint, of_token_hash text, of_token_sealed text, asker text)
  returns bigint language plpgsql as $$
  declare
    made bigint;
  begin
    if of_token_sealed is null then return null; end if;
    insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
      values (of_soul, of_token_hash, of_token_sealed, asker)
      on conflict do nothing returning id into made;
    -- The insert waits for a deletion of the room, so only a later statement sees the reservation.
    delete from chat_rooms as room using reserved_rooms as reserved
      where room.id = made and reserved.soul_id = of_soul and reserved.token_hash = of_token_hash
        and reserved.owner <> asker;
    if found then return null; end if;
    return made;
  end $$
