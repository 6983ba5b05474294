-- Takes a deleted account out of the lines of a room, at most so many of them, under the room's lock
-- (0063). The lines are its own ones, and those copied from it, which bear its name. Replies of souls
-- to them lose the name, and so do lines that the account has edited: the owner of a room edits its
-- replies. With is_erased the texts of all these lines go, except of imported lines, whose name
-- proves nothing. Each changed line takes a revision. Summaries may repeat names and texts, so the
-- room loses all of them.
create or replace function forget_lines(
    of_room bigint, former bigint, former_name text, copied_by text[], is_erased boolean, at_most int,
    out revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    name_pattern text := '\m' || former_name || '\M';
    own bigint[];
    replies bigint[] := '{}';
    further bigint[];
    purged bigint[];
    changes int;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room for update;
    own := array(select line.id from chat_messages as line
      where line.room_id = of_room and (line.sender = 'account:' || former
        or line.sender = any(copied_by) and line.sender_name = former_name)
      order by line.id limit at_most);
    -- Several souls may answer a line, one after another.
    further := own;
    loop
      further := array(select line.id from chat_messages as line
        where line.room_id = of_room and line.role = 'assistant'
          and (line.parent_id is null and line.prev_id = any(further)
            or line.parent_id = any(further)));
      exit when cardinality(further) = 0;
      replies := replies || further;
    end loop;
    with chosen as (
        select line.id, is_erased and not line.imported as is_purged,
          row_number() over (order by line.id) as nth
        from chat_messages as line
        where line.room_id = of_room and (line.id = any(own)
          or line.id = any(replies) and (is_erased or line.content ~ name_pattern)
          or line.edited_by = former_name)),
      changed as (
        update chat_messages as line set
          sender = case when line.id = any(own) then 'deleted:' || former else line.sender end,
          sender_name = case when line.id = any(own) then 'Deleted' else line.sender_name end,
          revision = room.revision + chosen.nth,
          content = case when chosen.is_purged then '[removed]'
            when line.id = any(own) then line.content
            else regexp_replace(line.content, name_pattern, 'Deleted', 'g') end,
          removed_at = case when chosen.is_purged then coalesce(line.removed_at, hub_now())
            else line.removed_at end,
          -- Staff cannot restore it any more (0062).
          removed_by = case when not chosen.is_purged then line.removed_by end,
          edited_at = case when not chosen.is_purged then line.edited_at end,
          edited_by = case when chosen.is_purged then null
            when line.edited_by = former_name then 'Deleted' else line.edited_by end
        from chosen where line.id = chosen.id
        returning line.id, chosen.is_purged)
      select count(*), array_agg(changed.id) filter (where changed.is_purged)
        into changes, purged from changed;
    delete from message_reactions where message_reactions.message_id = any(purged);
    delete from room_summaries where room_summaries.room_id = of_room;
    update chat_rooms as known set
        revision = known.revision + changes,
        folding_until = null,
        summary = null,
        -- As after a removal, summarising begins at the newest 200 messages of the path.
        summarised_to = case when known.summary is null then known.summarised_to else coalesce(
          (select min(line.id)
            from path_messages(of_room, coalesce(known.active_id, known.head_id), null, 201) as line
            having count(*) = 201), 0) end
      where known.id = of_room returning known.revision into revision;
  end $$
