-- Takes the next revision of the rooms whose guest a soul is, in the order of their ids after a given
-- one, at most so many of them (0061). Readers then read again which guests they may see.
create or replace function touch_guest_rooms(of_soul bigint, after bigint, at_most int)
  returns table (id bigint, key text, revision bigint) language plpgsql as $$
  begin
    return query
      with guested as (
        select room.id from chat_rooms as room
        where room.souls @> jsonb_build_array(jsonb_build_object('soul_id', of_soul))
          and room.soul_id <> of_soul and room.id > after
        order by room.id limit at_most for update)
      update chat_rooms as room set revision = room.revision + 1
        from guested where room.id = guested.id
        returning room.id, room.soul_id || '/' || room.token_hash, room.revision;
  end $$
