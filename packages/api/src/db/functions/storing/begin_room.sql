-- Creates the room of a first message, and returns its id. Returns null if the room exists, if its
-- address is reserved for another participant (0042), if its soul was deleted meanwhile (0076), or
-- without the sealed token, which only a message for a new room has.
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
    -- The insert waits for a deletion of the room or its soul, so only a later statement sees it.
    delete from chat_rooms as room where room.id = made and (
      exists (select from reserved_rooms as reserved
        where reserved.soul_id = of_soul and reserved.token_hash = of_token_hash
          and reserved.owner <> asker)
      or exists (select from souls where souls.id = of_soul and souls.deleted_at is not null));
    if found then return null; end if;
    return made;
  end $$
