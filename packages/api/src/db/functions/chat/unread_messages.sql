-- Returns a room's newest message, and counts the messages of others that a reader has not seen, and
-- those that match the pattern of the reader's name, each up to 99 (0042). Removed messages do not
-- count. The reader has seen the messages up to seen_to and up to its own newest one. The first loop
-- reads at most 300 messages, in the order of the index, and only as far as needed. The second one
-- reads the unread messages before these that contain an @, at most 1,000, by an index of their own.
-- No other index has its order, so the planner cannot choose one that reads every message.
create or replace function unread_messages(
    of_room bigint, reader text, seen_to bigint, at_name text, mention text,
    out last_id bigint, out last_sender_name text, out last_content text,
    out unread int, out mentions int)
  language plpgsql stable set enable_sort = off as $$
  declare
    line record;
    is_seen boolean := false;
    read_from bigint;
    seen bigint := seen_to;
  begin
    unread := 0;
    mentions := 0;
    for line in
      select said.id, said.sender, said.sender_name, said.content, said.removed_at
        from chat_messages as said where said.room_id = of_room order by said.id desc limit 300
    loop
      is_seen := is_seen or line.id <= seen_to or line.sender = reader;
      exit when (is_seen or unread = 99) and last_id is not null;
      read_from := line.id;
      if line.removed_at is null then
        if last_id is null then
          last_id := line.id;
          last_sender_name := line.sender_name;
          last_content := left(line.content, 200);
        end if;
        if not is_seen then
          unread := unread + 1;
          -- The search for the name spares most messages the slower match.
          if strpos(lower(line.content), at_name) > 0 and callable_text(line.content) ~* mention then
            mentions := mentions + 1;
          end if;
        end if;
      end if;
    end loop;
    if is_seen or read_from is null or mentions = 99 then return; end if;
    -- The sum keeps the planner from reading the room backwards for a reader who never wrote.
    select greatest(seen_to, max(said.id + 0)) into seen
      from chat_messages as said where said.sender = reader and said.room_id = of_room;
    for line in
      select said.content from chat_messages as said
        where said.room_id = of_room and -said.id < -seen and -said.id > -read_from
          and strpos(said.content, '@') > 0 and said.removed_at is null
        order by -said.id limit 1000
    loop
      if strpos(lower(line.content), at_name) > 0 and callable_text(line.content) ~* mention then
        mentions := mentions + 1;
        exit when mentions = 99;
      end if;
    end loop;
    -- The first loop may have read removed messages alone.
    unread := greatest(unread, mentions);
  end $$
