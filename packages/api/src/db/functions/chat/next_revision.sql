-- Takes a room's next revision (0039), under the room's lock. A function that changes the room or a
-- stored message calls it once for each message that it changes.
create or replace function next_revision(of_room bigint)
  returns bigint language sql as $$
    update chat_rooms set revision = revision + 1 where id = of_room returning revision
  $$
