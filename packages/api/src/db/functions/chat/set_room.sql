-- Changes a room's settings, under the room's lock (0039). settings holds those to change: title,
-- active_id, answers, talk, souls. Equal values change nothing. expected is the revision that the
-- caller has read, or null. failure is the code of a refusal.
create or replace function set_room(
    of_soul bigint, of_token_hash text, setter text, expected bigint, settings jsonb,
    out failure text, out revision bigint, out prev_revision bigint)
  language plpgsql as $$
  declare
    room chat_rooms%rowtype;
    wanted chat_rooms%rowtype;
    is_known boolean;
    guests bigint[];
    eligible int;
  begin
    -- The lock on the guest souls precedes the room's, as in drop_guest_soul: a soul that is
    -- withdrawn meanwhile is either refused here or dropped there.
    guests := array(select (chosen ->> 'soul_id')::bigint
      from jsonb_path_query(settings, '$.souls[*]') as chosen
      where (chosen ->> 'soul_id')::bigint <> of_soul);
    perform from souls where souls.id = any(guests) and souls.is_public = 1
        and souls.nft_contract is null
      order by souls.id for share;
    get diagnostics eligible = row_count;
    select * into room from chat_rooms
      where chat_rooms.soul_id = of_soul and chat_rooms.token_hash = of_token_hash for update;
    revision := room.revision;
    prev_revision := room.revision;
    if room.id is null or room.owner <> setter then
      failure := 'not_owner';
    elsif expected <> room.revision then
      failure := 'room_changed';
    elsif eligible < cardinality(guests) then
      failure := 'soul_not_eligible';
    end if;
    if failure is not null then return; end if;
    if settings ? 'active_id' then
      select path.is_known, path.revision into is_known, revision
        from switch_path(room.id, (settings ->> 'active_id')::bigint) as path;
      if not is_known then
        failure := 'message_not_found';
        return;
      end if;
    end if;
    wanted := jsonb_populate_record(room, settings - 'active_id' - 'souls');
    -- JSON's null would be stored as such.
    if settings ? 'souls' then wanted.souls := nullif(settings -> 'souls', 'null'); end if;
    if wanted is not distinct from room then return; end if;
    update chat_rooms set title = wanted.title, answers = wanted.answers, talk = wanted.talk,
        souls = wanted.souls
      where chat_rooms.id = room.id;
    revision := next_revision(room.id);
  end $$
