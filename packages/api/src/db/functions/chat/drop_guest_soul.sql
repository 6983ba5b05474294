-- Takes a soul out of the rooms whose guest it is, each with a revision, at most so many of them
-- (0041). Returns these rooms. A soul that is public and ungated stays, and so does a held one, which
-- returns after its release (0061). Rooms are locked in the order of their ids, so concurrent calls do
-- not deadlock.
create or replace function drop_guest_soul(of_soul bigint, at_most int)
  returns table (key text, revision bigint) language plpgsql as $$
  begin
    if exists (select from souls
        where souls.id = of_soul and souls.is_public = 1 and souls.nft_contract is null)
        or exists (select from soul_holds as held where held.soul_id = of_soul) then
      return;
    end if;
    return query
      with guested as (
        select room.id, room.soul_id, room.token_hash, room.souls from chat_rooms as room
        where room.souls @> jsonb_build_array(jsonb_build_object('soul_id', of_soul))
          and room.soul_id <> of_soul
        order by room.id limit at_most for update)
      update chat_rooms as room set revision = room.revision + 1, souls = (
          select jsonb_agg(chosen order by nth)
          from jsonb_array_elements(guested.souls) with ordinality as listed (chosen, nth)
          where (chosen ->> 'soul_id')::bigint <> of_soul)
        from guested where room.id = guested.id
        returning room.soul_id || '/' || room.token_hash, room.revision;
  end $$
