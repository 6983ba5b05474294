-- Replaces a room's summary and adds its version (0038). covers is the newest message that it covers:
-- null keeps the former one, or resets the room up to the end of its path if new_text is empty.
-- Returns null and changes nothing if the summary is no longer expected_text, covers no longer
-- expected_to, or covers a message that the path has left; a null expectation is none. A fold gives
-- its claim, which it has lost if a message changed meanwhile (0039).
create or replace function store_summary(
    of_room bigint, expected_text text, expected_to bigint,
    new_text text, covers bigint, maker text, maker_name text, claim text)
  returns int language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    leaf bigint;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room for update;
    if room.id is null or coalesce(room.summary, '') <> expected_text
        or room.summarised_to <> expected_to
        or (claim is not null and room.folding_until::text is distinct from claim) then
      return null;
    end if;
    leaf := coalesce(room.active_id, room.head_id);
    if room.is_branched and not covers <@ path_ranges(of_room, leaf, covers) then return null; end if;
    covers := coalesce(covers, case when new_text = '' then leaf else room.summarised_to end);
    perform keep_summary(of_room);
    update chat_rooms set summary = nullif(new_text, ''), summarised_to = covers
      where chat_rooms.id = of_room;
    return add_summary(of_room, new_text, covers, maker, maker_name);
  end $$
