-- Stores a question with its reply, or a reply alone, and settles the quota hold, under the room's
-- lock (0023, 0038, 0041). A guest that was claimed meanwhile is its account (0077). question is null for a reply alone. The outcome is
--   stored       the hold is settled
--   again        an earlier attempt has stored the lines under this hold
--   hold_gone    the hold does not exist, and no line is stored under it
--   room_gone    the room was deleted, or deleted and begun anew, since the question was accepted
--   not_private  for_private: the question was accepted for a private room, and is stored in no other
--   not_open     the asker may no longer enter the room
-- or a refusal of branch_refusal. Other outcomes than stored change nothing. With of_token_sealed a
-- room that does not exist is created; of two concurrent calls the first creates it.
-- The next reply to the same question passes the returned reply_id and epoch as asked_on and
-- asked_epoch. A null revision or epoch is unknown.
create or replace function store_held_reply(
    of_soul bigint, of_token_hash text, of_token_sealed text, for_private boolean,
    asker text, asker_name text, question text, replier_name text, reply text, provenance jsonb,
    hold bigint, under bigint, asked_on bigint, asked_epoch int,
    out outcome text, out room_id bigint, out former_head bigint, out parent bigint,
    out question_id bigint, out reply_id bigint, out created_at timestamptz, out unsummarised int,
    out revision bigint, out prev_revision bigint, out epoch int)
  language plpgsql as $$
  declare
    made bigint;
    room chat_rooms%rowtype;
    leaf bigint;
  begin
    asker := asker_now(asker, hold);
    made := begin_room(of_soul, of_token_hash, of_token_sealed, asker);
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    -- A reply to a message of a deleted room is not stored in the room that follows it.
    if room.id is null or (asked_on > 0 and not exists (
        select from chat_messages as line
        where line.room_id = room.id and line.id = asked_on)) then
      outcome := 'room_gone';
      return;
    elsif for_private and not room.is_private then
      outcome := 'not_private';
      return;
    end if;
    room_id := room.id;
    leaf := coalesce(room.active_id, room.head_id);
    if not may_enter(room.id, room.owner, room.is_private, asker) then
      outcome := 'not_open';
    elsif under is not null then
      -- An earlier attempt may have stored the lines: then its siblings include the reply itself.
      perform from quota_holds where quota_holds.id = hold for update;
      if found then
        outcome := branch_refusal(room.id, room.owner, leaf, asker, under, question is null);
      end if;
    end if;
    if outcome is null then
      delete from quota_holds where quota_holds.id = hold;
      if found then
        outcome := 'stored';
        select appended.former_head, appended.parent, appended.question_id, appended.reply_id,
            appended.created_at, appended.unsummarised, appended.revision, appended.prev_revision,
            appended.epoch
          into former_head, parent, question_id, reply_id, created_at, unsummarised, revision,
            prev_revision, epoch
          from append_to_path(room.id, under, asked_on, asked_epoch, asker, asker_name, question,
            'room', replier_name, reply, provenance, hold) as appended;
        return;
      end if;
    end if;
    select said.id, said.created_at, said.prev_id, coalesce(said.parent_id, said.prev_id)
      into reply_id, created_at, former_head, parent
      from chat_messages as said
      where said.room_id = room.id and said.hold_id = hold
      order by said.id desc limit 1;
    if not found then
      outcome := coalesce(outcome, 'hold_gone');
      -- A room without messages would keep the caller as its owner.
      delete from chat_rooms where chat_rooms.id = made;
      return;
    end if;
    -- The caller wrote these messages and may read them, even if the room is private by now.
    outcome := 'again';
    if question is not null then
      question_id := former_head;
      select asked.prev_id, coalesce(asked.parent_id, asked.prev_id) into former_head, parent
        from chat_messages as asked where asked.id = question_id;
    end if;
    revision := room.revision;
    -- The attempt may have moved the path, and no server was told.
    if not room.is_branched then prev_revision := room.revision; end if;
    -- Without an epoch, the next reply follows this one, wherever the path has moved.
    if not room.is_branched or reply_id <@ path_ranges(room.id, leaf, reply_id) then
      epoch := room.path_epoch;
    end if;
    unsummarised := count_unsummarised(room.id, room.is_branched, leaf, room.summarised_to);
  end $$
