-- Adds an invite to a private room, under the room's lock, unless 20 are open (0040). Deletes the
-- room's invites that have expired or are used up. failure is the code of a refusal.
create or replace function add_invite(
    of_room bigint, of_hash text, of_sealed text, of_uses int, of_days int,
    out failure text, out expires text)
  language plpgsql as $$
  declare
    ends timestamptz := hub_now() + make_interval(days => of_days);
  begin
    perform from chat_rooms where chat_rooms.id = of_room for no key update;
    if not found then
      failure := 'not_owner';
      return;
    end if;
    delete from room_invites as past
      where past.room_id = of_room and (past.used >= past.uses or past.expires_at <= hub_now());
    if (select count(*) from room_invites as known where known.room_id = of_room) >= 20 then
      failure := 'limit_reached';
      return;
    end if;
    insert into room_invites (room_id, invite_hash, invite_sealed, uses, expires_at)
      values (of_room, of_hash, of_sealed, of_uses, ends);
    expires := to_char(ends at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS');
  end $$
