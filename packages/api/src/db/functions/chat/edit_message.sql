-- Replaces the text of a message, under the room's lock (0039). The sender edits a question, the
-- room's owner a reply. An equal text changes nothing. failure is the code of a refusal.
create or replace function edit_message(
    of_soul bigint, of_token_hash text, of_id bigint, editor text, editor_name text,
    new_content text, expected text,
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
    if line.id is null or line.removed_at is not null then
      failure := 'message_not_found';
    elsif editor <> (case line.role when 'user' then line.sender else room.owner end) then
      failure := 'not_owner';
    elsif expected <> line.content then
      failure := 'room_changed';
    end if;
    revision := room.revision;
    prev_revision := room.revision;
    if failure is not null or line.content = new_content then return; end if;
    revision := next_revision(room.id);
    update chat_messages set content = new_content, edited_at = hub_now(), edited_by = editor_name,
        revision = room.revision + 1
      where chat_messages.id = line.id;
    -- No summary contains a message for people only.
    if line.audience = 'room' then perform summaries_without(room.id, line.id, false); end if;
  end $$
