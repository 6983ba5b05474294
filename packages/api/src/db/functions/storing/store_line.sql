-- The form of store_unanswered without the room that admitted the line, for store_reply and for
-- servers of the release before.
create or replace function store_line(
    of_soul bigint, of_token_hash text, of_token_sealed text, for_private boolean,
    asker text, asker_name text, line text, said_to text, under bigint,
    out outcome text, out room_id bigint, out former_head bigint, out parent bigint,
    out question_id bigint, out created_at timestamptz,
    out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  begin
    select stored.outcome, stored.room_id, stored.former_head, stored.parent, stored.question_id,
        stored.created_at, stored.revision, stored.prev_revision
      into outcome, room_id, former_head, parent, question_id, created_at, revision, prev_revision
      from store_unanswered(of_soul, of_token_hash, of_token_sealed, for_private, null, asker,
        asker_name, line, said_to, under) as stored;
  end $$
