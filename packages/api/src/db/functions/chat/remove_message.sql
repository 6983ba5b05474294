-- Purges a message, under the room's lock (0039): its row and its place in the log remain. Its
-- sender and the room's owner may. A second call changes nothing. failure is the code of a refusal.
create or replace function remove_message(
    of_soul bigint, of_token_hash text, of_id bigint, remover text,
    out failure text, out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    line chat_messages%rowtype;
  begin
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    select * into line from chat_messages
      where chat_messages.room_id = room.id and chat_messages.id = of_id;
    if line.id is null then
      failure := 'message_not_found';
    elsif remover not in (line.sender, room.owner) then
      failure := 'not_owner';
    end if;
    revision := room.revision;
    prev_revision := room.revision;
    if failure is not null or line.removed_at is not null then return; end if;
    revision := purge_message(room.id, line.id, null);
  end $$
