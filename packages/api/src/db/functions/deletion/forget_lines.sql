-- Takes a deleted account out of the lines of a room, at most so many of them, under the room's lock
-- (0063). The lines are its own ones, and those copied from it, which bear its name. With is_erased
-- their texts go too, except of imported lines, whose name proves nothing. Each line takes a
-- revision. Summaries may repeat names and texts, so the room loses all of them.
create or replace function forget_lines(
    of_room bigint, former bigint, former_name text, copied_by text[], is_erased boolean, at_most int,
    out forgotten int, out revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    purged bigint[];
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room for update;
    with chosen as (
        select line.id, row_number() over (order by line.id) as nth from chat_messages as line
        where line.room_id = of_room and (line.sender = 'account:' || former
          or line.sender = any(copied_by) and line.sender_name = former_name)
        order by line.id limit at_most),
      changed as (
        update chat_messages as line set
          sender = 'deleted:' || former,
          sender_name = 'Deleted',
          revision = room.revision + chosen.nth,
          content = case when is_erased and not line.imported then '[removed]' else line.content end,
          removed_at = case when is_erased and not line.imported
            then coalesce(line.removed_at, hub_now()) else line.removed_at end,
          edited_at = case when not is_erased or line.imported then line.edited_at end,
          edited_by = case when line.edited_at is not null and (not is_erased or line.imported)
            then 'Deleted' end
        from chosen where line.id = chosen.id
        returning line.id, line.removed_at)
      select count(*), array_agg(changed.id) filter (where changed.removed_at is not null)
        into forgotten, purged from changed;
    delete from message_reactions where message_reactions.message_id = any(purged);
    -- The owner of a room edits replies.
    if forgotten < at_most then
      update chat_messages as line set edited_by = 'Deleted'
        where line.room_id = of_room and line.edited_by = former_name;
    end if;
    delete from room_summaries where room_summaries.room_id = of_room;
    update chat_rooms as known set
        revision = known.revision + forgotten,
        folding_until = null,
        summary = null,
        -- As after a removal, summarising begins at the newest 200 messages of the path.
        summarised_to = case when known.summary is null then known.summarised_to else coalesce(
          (select min(line.id)
            from path_messages(of_room, coalesce(known.active_id, known.head_id), null, 201) as line
            having count(*) = 201), 0) end
      where known.id = of_room returning known.revision into revision;
  end $$
