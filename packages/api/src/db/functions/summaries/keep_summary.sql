-- Gives a version to a summary that a server of schema 2 stored, under the room's lock (0038). The
-- next change of the summary would lose it.
create or replace function keep_summary(of_room bigint)
  returns void language plpgsql as $$
  declare
    room chat_rooms%rowtype;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    if room.summary is not null and not exists (
        select from room_summaries as kept
          where kept.room_id = of_room and kept.covers_to = room.summarised_to
            and kept.text = room.summary) then
      perform add_summary(of_room, room.summary, room.summarised_to, 'fold', null);
    end if;
  end $$
