-- Makes current the summary that path_summary returns for a room's path, and returns the message
-- that it covers to (0038). The caller holds the room's lock. With no such version the summary is
-- empty, and summarising begins at the path's newest 200 messages.
create or replace function choose_summary(of_room bigint, changed_from bigint)
  returns bigint language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    leaf bigint;
    chosen record;
    covers bigint;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    leaf := coalesce(room.active_id, room.head_id);
    if room.summary is null and not exists (
        select from room_summaries as kept where kept.room_id = of_room) then
      return room.summarised_to;
    end if;
    perform keep_summary(of_room);
    select * into chosen from path_summary(of_room, leaf, changed_from);
    covers := chosen.covers_to;
    if not found then
      select min(line.id) into covers from path_messages(of_room, leaf, null, 201) as line
        having count(*) = 201;
    end if;
    covers := coalesce(covers, 0);
    update chat_rooms set summary = nullif(chosen.text, ''), summarised_to = covers
      where chat_rooms.id = of_room;
    return covers;
  end $$
