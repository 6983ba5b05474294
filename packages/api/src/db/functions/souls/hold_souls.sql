-- Adds a hold to souls, by their ids or their owner, and makes them private (0061). A further hold
-- remembers what the first one did. The locks come first, in the order of ids: the next statement
-- then reads the holds that a concurrent call has added. Returns the souls that were public.
create or replace function hold_souls(soul_ids bigint[], of_owner bigint, of_kind text)
  returns table (id bigint) language plpgsql as $$
  declare
    locked bigint[];
  begin
    locked := array(select soul.id from souls as soul
      where soul.id = any(soul_ids) or soul.user_id = of_owner order by soul.id for update);
    insert into soul_holds (soul_id, kind, was_public)
      select soul.id, of_kind, coalesce(
          (select min(held.was_public) from soul_holds as held where held.soul_id = soul.id),
          soul.is_public)
        from souls as soul where soul.id = any(locked)
      on conflict do nothing;
    return query update souls as soul set is_public = 0
      where soul.id = any(locked) and soul.is_public = 1 returning soul.id;
  end $$
