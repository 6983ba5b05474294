-- Ends a hold of souls, by their ids or their owner (0061). Souls without a further hold become as
-- visible as before their first one. Returns the souls that are public again.
create or replace function release_souls(soul_ids bigint[], of_owner bigint, of_kind text)
  returns table (id bigint) language plpgsql as $$
  declare
    locked bigint[];
  begin
    locked := array(select soul.id from souls as soul
      where soul.id = any(soul_ids) or soul.user_id = of_owner order by soul.id for update);
    return query
      with released as (
        delete from soul_holds as held where held.soul_id = any(locked) and held.kind = of_kind
          returning held.soul_id, held.was_public)
      update souls as soul set is_public = 1 from released
        where soul.id = released.soul_id and soul.deleted_at is null
          and released.was_public = 1 and not exists (
          select from soul_holds as further
            where further.soul_id = soul.id and further.kind <> of_kind)
        returning soul.id;
  end $$
