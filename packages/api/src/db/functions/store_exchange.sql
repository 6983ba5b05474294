-- Stores a question and its reply in a room and settles the hold, under the room's lock (0023).
-- Without the hold, returns the lines that an earlier attempt stored under it, or nothing.
create or replace function store_exchange(
    of_soul bigint, of_token_hash text, asker text, asker_name text, question text,
    replier_name text, reply text, hold bigint,
    out room_id bigint, out is_open boolean, out former_head bigint,
    out question_id bigint, out reply_id bigint, out unsummarised int)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    is_held boolean := false;
  begin
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    if not found then return; end if;
    room_id := room.id;
    is_open := not room.is_private or room.owner = asker;
    if is_open then
      delete from quota_holds where quota_holds.id = hold;
      is_held := found;
    end if;
    if is_held then
      former_head := room.head_id;
      -- Ids are assigned under the lock, so a room's ids are in commit order.
      insert into chat_messages as line (room_id, prev_id, role, sender, sender_name, content)
        values (room.id, room.head_id, 'user', asker, asker_name, question)
        returning line.id into question_id;
      insert into chat_messages as line
          (room_id, prev_id, role, sender, sender_name, content, hold_id)
        values (room.id, question_id, 'assistant', 'soul', replier_name, reply, hold)
        returning line.id into reply_id;
      update chat_rooms set head_id = reply_id, updated_at = hub_now()
        where chat_rooms.id = room.id;
    else
      select asked.prev_id, asked.id, said.id into former_head, question_id, reply_id
        from chat_messages as said join chat_messages as asked on asked.id = said.prev_id
        where said.room_id = room.id and said.hold_id = hold
        order by said.id desc limit 1;
      if not found then return; end if;
      -- The caller wrote these messages and may read them, even if the room is private by now.
      is_open := true;
    end if;
    -- Counts only as far as needed to decide whether a summary is due.
    select count(*) into unsummarised from (
      select from chat_messages as line
      where line.room_id = room.id and line.id > room.summarised_to limit 50) as lines;
  end $$
