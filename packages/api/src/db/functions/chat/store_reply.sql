-- Stores a question and its reply, or one of them alone, in a room's tree and settles the hold, under
-- the room's lock (0023, 0038, 0041). Without the hold, returns the lines that an earlier attempt
-- stored under it, or nothing. With of_token_sealed it creates a room that does not exist; of two
-- concurrent calls the first creates it.
-- question is null for a reply alone; reply and hold are null for a line without a reply, which
-- said_to addresses: the room, or its people alone. under is the chosen parent; null continues the
-- path. for_private says that the message was accepted for a private room: it is stored in no other.
-- asked_on and asked_epoch are the end of the path and its epoch when the question was
-- accepted. The next reply to the same question passes the returned reply_id and epoch as these.
create or replace function store_reply(
    of_soul bigint, of_token_hash text, of_token_sealed text, asker text, asker_name text,
    question text, replier_name text, reply text, provenance jsonb, hold bigint,
    under bigint, asked_on bigint, asked_epoch int, said_to text default 'room', for_private boolean default false,
    out room_id bigint, out is_open boolean, out refusal text, out former_head bigint,
    out parent bigint, out question_id bigint, out reply_id bigint, out unsummarised int,
    out revision bigint, out prev_revision bigint, out epoch int)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    made bigint;
    leaf bigint;
    is_held boolean := false;
    path_stays boolean := false;
    path_moves boolean := false;
    lines_after bigint;
    path_end bigint;
  begin
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    if not found and of_token_sealed is not null then
      insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
        values (of_soul, of_token_hash, of_token_sealed, asker)
        on conflict do nothing returning id into made;
      select * into room from chat_rooms
        where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    end if;
    if room.id is null or (for_private and not room.is_private) then return; end if;
    -- The room may have been deleted and created again since the question was accepted. A reply to a
    -- message of the deleted room is not stored.
    if asked_on > 0 and not exists (
        select from chat_messages as line
        where line.room_id = room.id and line.id = asked_on) then
      return;
    end if;
    room_id := room.id;
    leaf := coalesce(room.active_id, room.head_id);
    is_open := may_enter(room.id, room.owner, room.is_private, asker);
    if is_open and under is not null then
      -- An earlier attempt may have stored the lines: then its siblings include the reply itself.
      perform from quota_holds where quota_holds.id = hold for update;
      if found or reply is null then
        refusal := branch_refusal(room.id, room.owner, leaf, asker, under, question is null);
      end if;
    end if;
    if is_open and refusal is null then
      delete from quota_holds where quota_holds.id = hold;
      is_held := found or reply is null;
    end if;
    if is_held then
      -- Where the lines go is decided here, under the lock (0038).
      parent := leaf;
      if under is not null then
        parent := under;
        path_moves := under <> leaf;
      elsif asked_epoch <> room.path_epoch and (asked_on = 0 or exists (
          select from chat_messages as line where line.room_id = room.id and line.id = asked_on)) then
        parent := asked_on;
        path_stays := true;
      end if;
      former_head := room.head_id;
      lines_after := room.head_id;
      -- Ids are assigned under the lock, so a room's ids are in commit order.
      if question is not null then
        insert into chat_messages as line
            (room_id, prev_id, parent_id, role, sender, sender_name, content, audience)
          values (room.id, lines_after, nullif(parent, lines_after), 'user', asker, asker_name,
            question, said_to)
          returning line.id into question_id;
        lines_after := question_id;
      end if;
      if reply is not null then
        insert into chat_messages as line
            (room_id, prev_id, parent_id, role, sender, sender_name, content, made_by, hold_id)
          values (room.id, lines_after, nullif(coalesce(question_id, parent), lines_after),
            'assistant', 'soul', replier_name, reply, provenance, hold)
          returning line.id into reply_id;
        lines_after := reply_id;
      end if;
      prev_revision := room.revision;
      if path_moves or path_stays or room.active_id is not null then
        -- The path ends at the new line, which is the newest message, unless the path stays.
        path_end := case when path_stays then leaf end;
        if path_moves or path_end is distinct from room.active_id then
          room.revision := room.revision + 1;
        end if;
        room.active_id := path_end;
      end if;
      revision := room.revision;
      room.head_id := lines_after;
      room.is_branched := room.is_branched or parent <> former_head;
      update chat_rooms set
        head_id = room.head_id,
        active_id = room.active_id,
        path_epoch = room.path_epoch + path_moves::int,
        is_branched = room.is_branched,
        revision = room.revision,
        updated_at = hub_now()
        where chat_rooms.id = room.id;
      if path_moves then room.summarised_to := choose_summary(room.id, null); end if;
      -- After a move of the path, the next reply stays behind as this one does.
      epoch := case when path_stays then asked_epoch else room.path_epoch + path_moves::int end;
    else
      select said.id, said.prev_id, coalesce(said.parent_id, said.prev_id)
        into reply_id, former_head, parent
        from chat_messages as said
        where said.room_id = room.id and said.hold_id = hold and refusal is null
        order by said.id desc limit 1;
      if not found then
        -- A room without messages would keep the caller as its owner.
        delete from chat_rooms where chat_rooms.id = made;
        return;
      end if;
      if question is not null then
        question_id := former_head;
        select asked.prev_id, coalesce(asked.parent_id, asked.prev_id) into former_head, parent
          from chat_messages as asked where asked.id = question_id;
      end if;
      -- The caller wrote these messages and may read them, even if the room is private by now.
      is_open := true;
      revision := room.revision;
      -- The attempt may have moved the path, and no server was told. No server has the revision -1,
      -- so all of them read what changed.
      prev_revision := case when room.is_branched then -1 else room.revision end;
      -- No room has the epoch -1: the next reply follows this one, wherever the path has moved.
      epoch := case when not room.is_branched
        or reply_id <@ path_ranges(room.id, coalesce(room.active_id, room.head_id), reply_id)
        then room.path_epoch else -1 end;
    end if;
    -- Counts the lines that souls read, only as far as needed to decide whether a summary is due.
    if room.is_branched then
      select count(*) into unsummarised
        from newest_open_messages(room.id, coalesce(room.active_id, room.head_id), 50) as line
        where line.id > room.summarised_to;
    else
      select count(*) into unsummarised from (
        select from chat_messages as line
        where line.room_id = room.id and line.id > room.summarised_to and line.audience = 'room'
        limit 50) as lines;
    end if;
  end $$
