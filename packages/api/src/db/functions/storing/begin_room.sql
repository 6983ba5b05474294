-- Creates the room of a first message, and returns its id. Returns null if the room exists, or without
-- the sealed token, which only a message for a new room has (0042).
create or replace function begin_room(
    of_soul bigint, of_token_hash text, of_token_sealed text, asker text)
  returns bigint language plpgsql as $$
  declare
    made bigint;
  begin
    if of_token_sealed is null then return null; end if;
    -- Nobody begins a room of a soul that was deleted meanwhile (0076).
    perform from souls where id = of_soul and deleted_at is not null for key share;
    if found then return null; end if;
    insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
      values (of_soul, of_token_hash, of_token_sealed, asker)
      on conflict do nothing returning id into made;
    return made;
  end $$
