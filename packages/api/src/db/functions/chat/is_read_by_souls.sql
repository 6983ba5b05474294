-- Reports whether souls read a message for the room (0041): no removed one, and no reply to a removed
-- question. Several souls may reply one after another, each to the reply before. A room has at most 4
-- souls. Its callers first look whether the parent is a question that is not removed, as for most
-- replies: a call takes ten times as long as that (0082).
create or replace function is_read_by_souls(role text, removed_at timestamptz, parent bigint)
  returns boolean language plpgsql stable as $$
  begin
    if removed_at is not null then return false; end if;
    for nth in 1..4 loop
      exit when role <> 'assistant';
      select line.role, line.removed_at, coalesce(line.parent_id, line.prev_id)
        into role, removed_at, parent
        from chat_messages as line where line.id = parent;
    end loop;
    return role is distinct from 'user' or removed_at is null;
  end $$
