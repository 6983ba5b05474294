-- Servers of schema 26 call it beside store_reply.
-- Returns the time at which a message was stored. Volatile, so that it finds a message that another
-- function has stored in the same statement.
create or replace function message_time(of_message bigint) returns timestamptz
  language plpgsql volatile as $$
  begin
    return (select line.created_at from chat_messages as line where line.id = of_message);
  end $$
