-- Makes a former version of a room's summary current again, as a new version, under the room's lock
-- (0038). The version must be one of the room's path. expected is the version that must be current;
-- null is any. failure is the code of a refusal.
create or replace function restore_summary(
    of_room bigint, of_version bigint, expected bigint, restorer text,
    out failure text, out version int)
  language plpgsql as $$
  declare
    leaf bigint;
    former record;
  begin
    select coalesce(room.active_id, room.head_id) into leaf
      from chat_rooms as room where room.id = of_room for update;
    select * into former
      from path_summaries(of_room, leaf) as kept where kept.version = of_version;
    if not found then
      failure := 'version_not_found';
    elsif expected is not null and not exists (
        select from path_summaries(of_room, leaf) as kept
          where kept.is_current and kept.version = expected) then
      failure := 'summary_changed';
    end if;
    if failure is not null then return; end if;
    perform keep_summary(of_room);
    update chat_rooms set summary = nullif(former.text, ''), summarised_to = former.covers_to
      where chat_rooms.id = of_room;
    version := add_summary(of_room, former.text, former.covers_to, 'rollback', restorer);
  end $$
