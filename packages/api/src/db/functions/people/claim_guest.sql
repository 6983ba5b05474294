-- Moves the rooms of rooms_of_guest to an account, once (0077): what the guest owns, has written and
-- reacted with, and its row of the room's people. Restrictions of the guest move from every room.
-- Returns the rooms concerned, with a revision if reactions were merged. A second call returns none.
create or replace function claim_guest(of_guest text, claimer bigint)
  returns table (key text, revision bigint, is_moved boolean) language plpgsql as $$
  declare
    account constant text := 'account:' || claimer;
    moved bigint[];
    touched bigint[];
    merged bigint[] := '{}';
    one record;
  begin
    -- A reply that is being stored is before or after the claim: see asker_now.
    perform pg_advisory_xact_lock(hashtextextended(of_guest, 0));
    insert into claimed_guests (guest, account_id, holds_to)
      values (of_guest, claimer, (select coalesce(max(hold.id), 0) from quota_holds as hold))
      on conflict do nothing;
    if not found then return; end if;
    moved := array(select rooms_of_guest(of_guest));
    touched := moved || array(select person.room_id from room_people as person
      where person.participant = of_guest and person.restriction is not null);
    perform from chat_rooms as room where room.id = any(touched) order by room.id for update;

    update chat_rooms as room set owner = account
      where room.id = any(moved) and room.owner = of_guest;
    update reserved_rooms as reserved set owner = account where reserved.owner = of_guest;
    update chat_messages as line set sender = account
      where line.sender = of_guest and line.room_id = any(moved);

    -- Of two restrictions the stricter counts: a ban, then the later end.
    update room_people as own set
        restriction = former.restriction,
        restricted_until = former.restricted_until,
        restricted_at = coalesce(former.restricted_at, own.restricted_at),
        is_member = own.is_member and former.restriction <> 'banned'
      from room_people as former, lateral (select
        room_restriction(former.room_id, of_guest) as theirs,
        room_restriction(former.room_id, account) as ours) as present
      where former.participant = of_guest and former.room_id = any(touched)
        and own.participant = account and own.room_id = former.room_id
        and theirs is not null and (ours is null
          or (theirs = 'banned', coalesce(former.restricted_until, 'infinity'))
            > (ours = 'banned', coalesce(own.restricted_until, 'infinity')));
    insert into room_people as own (room_id, participant, name, restriction, restricted_until,
        restricted_at, seen_to, created_at)
      select former.room_id, account, former.name, former.restriction, former.restricted_until,
          former.restricted_at, former.seen_to, former.created_at
        from room_people as former
        where former.participant = of_guest and former.room_id = any(touched)
      on conflict (room_id, participant) do update
        set seen_to = greatest(own.seen_to, excluded.seen_to);
    delete from room_people as former
      where former.participant = of_guest and former.room_id = any(touched);
    -- The person has read the replies to its own messages. A guest has no reading position.
    insert into room_people as known (room_id, participant, name, seen_to)
      select own.room_id, account, (select username from accounts where id = claimer), reply.id
        from (select line.room_id, max(line.id) as id from chat_messages as line
            where line.sender = account and line.room_id = any(moved) group by line.room_id) as own,
          lateral (select said.id from chat_messages as said
            where said.room_id = own.room_id and said.id > own.id and said.role = 'assistant'
              and said.id < coalesce((select other.id from chat_messages as other
                where other.room_id = own.room_id and other.id > own.id and other.role = 'user'
                order by other.id limit 1), 9223372036854775807)
            order by said.id desc limit 1) as reply
      on conflict (room_id, participant) do update
        set seen_to = greatest(known.seen_to, excluded.seen_to);
    -- A restriction does not apply to the room's owner.
    update room_people as own set restriction = null, restricted_until = null
      from chat_rooms as room
      where room.id = any(touched) and room.owner = account
        and own.room_id = room.id and own.participant = account;

    -- Of two equal reactions the later one stays.
    for one in
      delete from message_reactions as former using message_reactions as other, chat_messages as line
        where line.room_id = any(moved) and line.revision > 0 and former.message_id = line.id
          and other.message_id = line.id and other.emoji = former.emoji
          and (former.participant, other.participant) in ((of_guest, account), (account, of_guest))
          and (former.created_at, former.participant) < (other.created_at, other.participant)
        returning line.room_id, line.id
    loop
      merged := merged || one.room_id;
      update chat_messages as line set revision = next_revision(one.room_id)
        where line.id = one.id;
    end loop;
    update message_reactions as reaction set participant = account
      from chat_messages as line
      where line.room_id = any(moved) and line.revision > 0
        and reaction.message_id = line.id and reaction.participant = of_guest;

    return query
      select room.soul_id || '/' || room.token_hash,
          case when room.id = any(merged) then room.revision end,
          room.id = any(moved) and room.head_id > 0
        from chat_rooms as room where room.id = any(touched);
  end $$
