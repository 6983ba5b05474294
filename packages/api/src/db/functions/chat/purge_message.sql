-- Deletes what a message says, under the room's lock, and takes the room's next revision (0039). The
-- message's row and its place in the log remain. of_role is `moderator` for the hub's staff (0062),
-- and null for the sender and the room's owner.
create or replace function purge_message(of_room bigint, of_message bigint, of_role text)
  returns bigint language plpgsql as $$
  declare
    next_number bigint := next_revision(of_room);
    for_souls boolean;
  begin
    update chat_messages set content = '[removed]', removed_at = hub_now(), removed_by = of_role,
        edited_at = null, edited_by = null, revision = next_number
      where chat_messages.id = of_message
      returning audience = 'room' into for_souls;
    delete from message_reactions where message_reactions.message_id = of_message;
    -- No summary contains a message for people only.
    if for_souls then perform summaries_without(of_room, of_message, true); end if;
    return next_number;
  end $$
