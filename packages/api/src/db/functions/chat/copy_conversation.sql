-- Copies the newest open messages of the path that ends at a leaf into a new private room (0042), as
-- long as they have 2 million characters together. They keep their times, and the room is titled as a
-- copy (0042). Of the source's souls, the host and the given guests come along. The messages of others
-- keep no participant id, so that the copy belongs to the copier alone: their senders are "copied:1",
-- "copied:2" and so on. Without with_names, participants are "Person 1", "Person 2" and so on. room_id
-- is null if the new room exists already, or its address is reserved. The caller holds the source's
-- lock, so no message can be removed meanwhile.
create or replace function copy_conversation(
    of_room bigint, leaf bigint, of_soul bigint, of_token_hash text, of_token_sealed text,
    copier text, copier_name text, with_names boolean, guests bigint[], at_most int,
    out room_id bigint, out copied int)
  language plpgsql as $$
  declare
    source chat_rooms%rowtype;
    line chat_messages%rowtype;
    people text[] := '{}';
    nth int;
    last bigint := 0;
    source_title text;
  begin
    select * into source from chat_rooms where chat_rooms.id = of_room;
    if not found then return; end if;
    room_id := begin_room(of_soul, of_token_hash, of_token_sealed, copier);
    if room_id is null then return; end if;
    copied := 0;
    for line in
      select * from chat_messages as chosen
        where chosen.id in (
          select newest.id from (
            select read.id, sum(char_length(read.content)) over (order by read.id desc) as chars
              from path_messages(of_room, leaf, null, 10 * at_most) as read
              where read.audience = 'room' and read.removed_at is null
              order by read.id desc limit at_most) as newest
            where newest.chars <= 2000000)
        order by chosen.id
    loop
      source_title := coalesce(source_title, source.title,
        nullif(rtrim(left(btrim(regexp_replace(line.content, '\s+', ' ', 'g')), 60)), ''));
      if line.role = 'user' then
        if line.sender <> all (people) then people := people || line.sender; end if;
        nth := array_position(people, line.sender);
        if not with_names then line.sender_name := 'Person ' || nth; end if;
        if line.sender <> copier then line.sender := 'copied:' || nth; end if;
      end if;
      if not with_names then line.edited_by := null; end if;
      insert into chat_messages as made (room_id, prev_id, role, sender, sender_name, content,
          made_by, edited_at, edited_by, imported, created_at)
        values (copy_conversation.room_id, last, line.role, line.sender, line.sender_name,
          line.content, line.made_by, line.edited_at, line.edited_by, line.imported, line.created_at)
        returning made.id into last;
      copied := copied + 1;
    end loop;
    update chat_rooms set head_id = last, is_private = true, copied_from = coalesce(source_title, '…'),
        copied_to = last, title = left('Copy of ' || coalesce(source_title, '…'), 80), souls = (
          select jsonb_agg(chosen order by place)
          from jsonb_array_elements(source.souls) with ordinality as listed (chosen, place)
          where (chosen ->> 'soul_id')::bigint = any(of_soul || guests))
      where chat_rooms.id = copy_conversation.room_id;
    insert into room_people (room_id, participant, name, seen_to)
      values (copy_conversation.room_id, copier, copier_name, last);
  end $$
