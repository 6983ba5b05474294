-- Returns the versions of a room's summary that cover nothing but the path ending at a leaf (0038).
-- A summary that a server of schema 2 stored is not kept yet; its number is the one that
-- keep_summary gives it. The current version is the newest one that equals the room's summary. A
-- version is outdated if a message that it covers was edited since (0039).
create or replace function path_summaries(of_room bigint, leaf bigint)
  returns table (version int, text text, covers_to bigint, made_by text, name text,
      created_at timestamptz, is_kept boolean, is_current boolean, is_outdated boolean)
  language plpgsql stable as $$
  declare
    room chat_rooms%rowtype;
    newest int;
    present int;
    lowest bigint;
    edited bigint;
    on_path int8multirange;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    select max(kept.version), min(nullif(kept.covers_to, 0)), max(kept.version) filter (
        where kept.covers_to = room.summarised_to and kept.text = coalesce(room.summary, ''))
      into newest, lowest, present
      from room_summaries as kept where kept.room_id = of_room;
    -- Without this barrier, the planner may search for the lowest id among all messages of the room.
    with edit as materialized (
      select line.id from chat_messages as line
        where line.room_id = of_room and line.revision > 0 and line.edited_at is not null)
      select min(edit.id) into edited from edit;
    on_path := path_ranges(
      of_room, leaf, coalesce(least(nullif(room.summarised_to, 0), lowest, edited), leaf + 1));
    return query
      -- Of the changed messages of a room, most are reacted to and few are edited.
      with edit as materialized (
        select line.id, line.edited_at from chat_messages as line
          where line.room_id = of_room and line.revision > 0 and line.edited_at is not null
            and line.id <@ on_path)
      select candidate.*, exists (
          select from edit
            where edit.id <= candidate.covers_to and edit.edited_at >= candidate.created_at)
        from (
          select kept.version, kept.text, kept.covers_to, kept.made_by, kept.name, kept.created_at,
              true, coalesce(kept.version = present, false)
            from room_summaries as kept where kept.room_id = of_room
          union all
          select coalesce(newest, 0) + 1, room.summary, room.summarised_to, 'fold', null,
              room.updated_at, false, true
            where room.summary is not null and present is null) as candidate
      where candidate.covers_to = 0 or candidate.covers_to <@ on_path;
  end $$
