-- Takes the next revision of the rooms with a guest among some souls, in the order of their ids after
-- a given one, at most so many of them (0061). Readers then read again which guests they may see.
create or replace function touch_rooms_of_guests(of_souls bigint[], after bigint, at_most int)
  returns table (id bigint, key text, revision bigint) language plpgsql as $$
  begin
    return query
      with guested as (
        select room.id from chat_rooms as room
        where room.id in (
          select distinct seat.id from unnest(of_souls) as guest (soul_id) join chat_rooms as seat
            on seat.souls @> jsonb_build_array(jsonb_build_object('soul_id', guest.soul_id))
              and seat.soul_id <> guest.soul_id
          where seat.id > after order by seat.id limit at_most)
        order by room.id for update)
      update chat_rooms as room set revision = room.revision + 1
        from guested where room.id = guested.id
        returning room.id, room.soul_id || '/' || room.token_hash, room.revision;
  end $$
