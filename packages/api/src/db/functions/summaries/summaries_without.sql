-- Makes a room's summary independent of a changed message, under the room's lock (0039). A running
-- fold may have read the former text, so it loses its claim. Of a removal, the texts that may repeat
-- the message are deleted. The path's summaries repeat no message of an abandoned branch.
create or replace function summaries_without(of_room bigint, of_message bigint, is_removal boolean)
  returns void language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    on_path int8multirange;
  begin
    update chat_rooms set folding_until = null where chat_rooms.id = of_room returning * into room;
    on_path := path_ranges(of_room, coalesce(room.active_id, room.head_id), of_message);
    if room.summary is not null and room.summarised_to >= of_message and of_message <@ on_path then
      perform choose_summary(of_room, of_message);
    end if;
    if is_removal then
      delete from room_summaries as kept
        where kept.room_id = of_room and kept.covers_to >= of_message and kept.text <> ''
          and (of_message <@ on_path or not kept.covers_to <@ on_path);
    end if;
  end $$
