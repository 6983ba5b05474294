-- Creates the room and stores its first exchange. Of two concurrent calls the first creates it.
create or replace function store_first_exchange(
    of_soul bigint, of_token_hash text, of_token_sealed text, asker text, asker_name text,
    question text, replier_name text, reply text, hold bigint,
    out room_id bigint, out is_open boolean, out former_head bigint,
    out question_id bigint, out reply_id bigint, out unsummarised int)
  language plpgsql as $$
  declare
    made bigint;
  begin
    insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
      values (of_soul, of_token_hash, of_token_sealed, asker)
      on conflict do nothing returning id into made;
    select * from store_exchange(of_soul, of_token_hash, asker, asker_name, question,
        replier_name, reply, hold)
      into room_id, is_open, former_head, question_id, reply_id, unsummarised;
    -- Deletes a room without messages: it would keep the caller as its owner.
    if question_id is null then delete from chat_rooms where id = made; end if;
  end $$
