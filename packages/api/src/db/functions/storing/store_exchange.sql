-- The form of store_reply that servers of schema 2 call (0038). In a room that has branched, the
-- lines continue the path. Such servers would summarise abandoned branches, too: unsummarised is 0.
create or replace function store_exchange(
    of_soul bigint, of_token_hash text, asker text, asker_name text, question text,
    replier_name text, reply text, hold bigint,
    out room_id bigint, out is_open boolean, out former_head bigint,
    out question_id bigint, out reply_id bigint, out unsummarised int)
  language plpgsql as $$
  begin
    select stored.room_id, stored.is_open, stored.former_head, stored.question_id, stored.reply_id,
        case when room.is_branched then 0 else stored.unsummarised end
      into room_id, is_open, former_head, question_id, reply_id, unsummarised
      from store_reply(of_soul, of_token_hash, null, asker, asker_name, question, replier_name,
          reply, null, hold, null, null, null) as stored
        left join chat_rooms as room on room.id = stored.room_id;
  end $$
