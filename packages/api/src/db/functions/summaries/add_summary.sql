-- Adds a version of a room's summary and keeps the newest 50 (0038). The caller holds the room's
-- lock.
create or replace function add_summary(
    of_room bigint, new_text text, covers bigint, maker text, maker_name text)
  returns int language plpgsql as $$
  declare
    added int;
  begin
    insert into room_summaries as kept (room_id, version, text, covers_to, made_by, name)
      select of_room, coalesce(max(former.version), 0) + 1, new_text, covers, maker, maker_name
        from room_summaries as former where former.room_id = of_room
      returning kept.version into added;
    delete from room_summaries as kept where kept.room_id = of_room and kept.version <= added - 50;
    return added;
  end $$
