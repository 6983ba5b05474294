-- Makes a room's path end at a message and takes the room's next revision, under the room's lock
-- (0038). to_id null is the newest message. Changes nothing if the path already ends there. is_known
-- is false if the room has no such message.
create or replace function switch_path(
    of_room bigint, to_id bigint,
    out is_known boolean, out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    leaf bigint;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room for update;
    revision := room.revision;
    prev_revision := room.revision;
    leaf := coalesce(to_id, room.head_id);
    is_known := room.id is not null and (to_id is null or exists (
      select from chat_messages as line where line.room_id = of_room and line.id = to_id));
    if not is_known or leaf = coalesce(room.active_id, room.head_id) then return; end if;
    revision := room.revision + 1;
    update chat_rooms set
      active_id = nullif(leaf, room.head_id),
      path_epoch = room.path_epoch + 1,
      is_branched = true,
      revision = room.revision + 1
      where chat_rooms.id = of_room;
    perform choose_summary(of_room, null);
  end $$
