-- Makes a participant a member of an invite's room and takes one of the invite's uses, under the
-- room's lock (0040). Members and the owner take none. A new member has nothing unread. failure is
-- the code of a refusal.
create or replace function join_room(
    of_invite text, of_participant text, of_name text, out failure text)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    is_known boolean;
    refusal text;
  begin
    -- The lock lets one call at a time join this room: of two calls of one participant, the second
    -- finds a member.
    select chat_rooms.* into room from chat_rooms
      join room_invites on room_invites.room_id = chat_rooms.id
      where room_invites.invite_hash = of_invite
      for no key update of chat_rooms;
    if not found then
      failure := 'invite_not_found';
      return;
    end if;
    if room.owner = of_participant then return; end if;
    refusal := coalesce(owner_refusal(room.owner, of_participant),
      nullif(room_restriction(room.id, of_participant), 'muted'));
    if refusal is not null then
      -- An invite that admits no one is unknown to them, too.
      select case when room_invites.used < room_invites.uses
          and room_invites.expires_at > hub_now() then refusal else 'invite_not_found' end
        into failure from room_invites where room_invites.invite_hash = of_invite;
      return;
    end if;
    select person.is_member into is_known from room_people as person
      where person.room_id = room.id and person.participant = of_participant;
    if is_known then return; end if;
    update room_invites set used = room_invites.used + 1
      where room_invites.invite_hash = of_invite and room_invites.used < room_invites.uses
        and room_invites.expires_at > hub_now();
    if not found then
      failure := 'invite_not_found';
      return;
    end if;
    insert into room_people as known (room_id, participant, name, is_member, seen_to)
      values (room.id, of_participant, of_name, true, room.head_id)
      on conflict (room_id, participant) do update
        set is_member = true, name = excluded.name,
          seen_to = greatest(known.seen_to, excluded.seen_to);
  end $$
