-- The form of store_line and store_held_reply that servers of schema 26 call. That release
-- has numbers for an unknown revision or epoch: -1 is none of a room.
create or replace function store_reply(
    of_soul bigint, of_token_hash text, of_token_sealed text, asker text, asker_name text,
    question text, replier_name text, reply text, provenance jsonb, hold bigint,
    under bigint, asked_on bigint, asked_epoch int, said_to text default 'room', for_private boolean default false,
    out room_id bigint, out is_open boolean, out refusal text, out former_head bigint,
    out parent bigint, out question_id bigint, out reply_id bigint, out unsummarised int,
    out revision bigint, out prev_revision bigint, out epoch int)
  language plpgsql as $$
  declare
    outcome text;
  begin
    if reply is null then
      select stored.outcome, stored.room_id, stored.former_head, stored.parent, stored.question_id,
          stored.revision, stored.prev_revision
        into outcome, room_id, former_head, parent, question_id, revision, prev_revision
        from store_line(of_soul, of_token_hash, of_token_sealed, for_private, asker, asker_name,
          question, said_to, under) as stored;
    else
      select stored.outcome, stored.room_id, stored.former_head, stored.parent, stored.question_id,
          stored.reply_id, stored.unsummarised, stored.revision,
          case when stored.revision is not null then coalesce(stored.prev_revision, -1) end,
          case when stored.revision is not null then coalesce(stored.epoch, -1) end
        into outcome, room_id, former_head, parent, question_id, reply_id, unsummarised, revision,
          prev_revision, epoch
        from store_held_reply(of_soul, of_token_hash, of_token_sealed, for_private, asker, asker_name,
          question, replier_name, reply, provenance, hold, under, asked_on, asked_epoch) as stored;
    end if;
    if outcome in ('room_gone', 'not_private') then
      room_id := null;
      return;
    end if;
    is_open := outcome <> 'not_open';
    if outcome not in ('stored', 'again', 'hold_gone', 'not_open') then refusal := outcome; end if;
  end $$
