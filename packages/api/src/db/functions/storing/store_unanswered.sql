-- Stores a person's line without a reply, under the room's lock (0041). said_to addresses the room, or
-- its people alone. admitted_to is the room that admitted the line, or null for a room that did not
-- exist. The outcome is stored, room_gone, not_private, not_open, or a refusal of branch_refusal;
-- other outcomes than stored change nothing. room_gone, for_private: see store_held_reply.
create or replace function store_unanswered(
    of_soul bigint, of_token_hash text, of_token_sealed text, for_private boolean,
    admitted_to bigint, asker text, asker_name text, line text, said_to text, under bigint,
    out outcome text, out room_id bigint, out former_head bigint, out parent bigint,
    out question_id bigint, out created_at timestamptz,
    out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  declare
    made bigint := begin_room(of_soul, of_token_hash, of_token_sealed, asker);
    room chat_rooms%rowtype;
  begin
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    room_id := room.id;
    outcome := case
      when room.id is null or room.id <> admitted_to then 'room_gone'
      when for_private and not room.is_private then 'not_private'
      when not may_enter(room.id, room.owner, room.is_private, asker) then 'not_open'
      when under is not null then branch_refusal(room.id, room.owner,
        coalesce(room.active_id, room.head_id), asker, under, false)
    end;
    if outcome is null then
      outcome := 'stored';
      select appended.former_head, appended.parent, appended.question_id, appended.created_at,
          appended.revision, appended.prev_revision
        into former_head, parent, question_id, created_at, revision, prev_revision
        from append_to_path(room.id, under, null, null, asker, asker_name, line, said_to,
          null, null, null, null) as appended;
    else
      -- A room without messages would keep the caller as its owner.
      delete from chat_rooms where chat_rooms.id = made;
    end if;
  end $$
