-- Adds or takes back a participant's reaction to a message, under the room's lock (0039). A message
-- has at most 12 different emojis. failure is the code of a refusal.
create or replace function react_to_message(
    of_soul bigint, of_token_hash text, of_id bigint, reactor text, reactor_name text,
    reaction text, is_on boolean,
    out failure text, out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    line chat_messages%rowtype;
    emojis text[];
  begin
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    select * into line from chat_messages
      where chat_messages.room_id = room.id and chat_messages.id = of_id;
    emojis := array(select distinct known.emoji from message_reactions as known
      where known.message_id = line.id);
    if line.id is null or line.removed_at is not null then
      failure := 'message_not_found';
    elsif is_on and cardinality(emojis) >= 12 and reaction <> all (emojis) then
      failure := 'limit_reached';
    end if;
    revision := room.revision;
    prev_revision := room.revision;
    if failure is not null then return; end if;
    if is_on then
      insert into message_reactions (message_id, participant, emoji, name)
        values (line.id, reactor, reaction, reactor_name) on conflict do nothing;
    else
      delete from message_reactions as known
        where known.message_id = line.id and known.participant = reactor
          and known.emoji = reaction;
    end if;
    if not found then return; end if;
    revision := next_revision(room.id);
    update chat_messages set revision = room.revision + 1 where chat_messages.id = line.id;
  end $$
