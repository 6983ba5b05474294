-- Makes a room private, and creates it first if a private message is the first one, which alone has
-- the sealed token (0042). admitted_to: see store_unanswered. failure is private_session if the room
-- is not the asker's, and cancelled if the room that admitted the message was deleted meanwhile.
create or replace function make_private(
    of_soul bigint, of_token_hash text, of_token_sealed text, admitted_to bigint, asker text,
    out failure text)
  language plpgsql as $$
  declare
    room_owner text;
  begin
    perform begin_room(of_soul, of_token_hash, of_token_sealed, asker);
    update chat_rooms as room set is_private = is_private or room.owner = asker
      where room.soul_id = of_soul and room.token_hash = of_token_hash
        and room.id = coalesce(admitted_to, room.id)
      returning room.owner into room_owner;
    failure := case
      when room_owner is null then 'cancelled'
      when room_owner <> asker then 'private_session'
    end;
  end $$
