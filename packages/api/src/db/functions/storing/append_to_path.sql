-- Appends a person's line, a reply or both to a locked room, and moves its path (0038). under is the
-- chosen parent; null continues the path.
-- asked_on and asked_epoch are the end of the path and its epoch when the question was accepted. If
-- the path has moved since, the lines follow asked_on, and the path stays. A null epoch is none that
-- the room has had. A null asked_on continues the path wherever it ends.
create or replace function append_to_path(
    of_room bigint, under bigint, asked_on bigint, asked_epoch int,
    asker text, asker_name text, question text, said_to text,
    replier_name text, reply text, provenance jsonb, hold bigint,
    out former_head bigint, out parent bigint, out question_id bigint, out reply_id bigint,
    out created_at timestamptz, out unsummarised int,
    out revision bigint, out prev_revision bigint, out epoch int)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    leaf bigint;
    path_moves boolean;
    path_stays boolean;
    path_end bigint;
  begin
    select * into room from chat_rooms where chat_rooms.id = of_room;
    leaf := coalesce(room.active_id, room.head_id);
    path_moves := under is not null and under <> leaf;
    path_stays := under is null and asked_on is not null
      and asked_epoch is distinct from room.path_epoch;
    parent := case when path_stays then asked_on else coalesce(under, leaf) end;
    former_head := room.head_id;
    -- Ids are assigned under the lock, so a room's ids are in commit order.
    if question is not null then
      insert into chat_messages as line
          (room_id, prev_id, parent_id, role, sender, sender_name, content, audience)
        values (room.id, room.head_id, nullif(parent, room.head_id), 'user', asker, asker_name,
          question, said_to)
        returning line.id, line.created_at into question_id, created_at;
      room.head_id := question_id;
    end if;
    if reply is not null then
      insert into chat_messages as line
          (room_id, prev_id, parent_id, role, sender, sender_name, content, made_by, hold_id)
        values (room.id, room.head_id, nullif(coalesce(question_id, parent), room.head_id),
          'assistant', 'soul', replier_name, reply, provenance, hold)
        returning line.id, line.created_at into reply_id, created_at;
      room.head_id := reply_id;
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
    room.path_epoch := room.path_epoch + path_moves::int;
    room.is_branched := room.is_branched or parent <> former_head;
    update chat_rooms set
      head_id = room.head_id,
      active_id = room.active_id,
      path_epoch = room.path_epoch,
      is_branched = room.is_branched,
      revision = room.revision,
      updated_at = hub_now()
      where chat_rooms.id = room.id;
    if path_moves then room.summarised_to := choose_summary(room.id, null); end if;
    -- If the path stays, it also stays for the next reply to the same question.
    epoch := case when path_stays then asked_epoch else room.path_epoch end;
    if reply is not null then
      unsummarised := count_unsummarised(room.id, room.is_branched,
        coalesce(room.active_id, room.head_id), room.summarised_to);
    end if;
  end $$
