-- Stores an account's rating of a soul in place of its earlier one, under the soul's lock. Returns
-- the soul's new totals. failure is the code of a refusal.
create or replace function set_rating(
    of_soul bigint, rater bigint, stars int,
    out failure text, out rating_sum int, out rating_count int)
  language plpgsql as $$
  declare
    former int;
  begin
    select locked.failure into failure from lock_soul_to_mark(of_soul, rater) as locked;
    if failure is not null then return; end if;
    select rating into former from ratings where soul_id = of_soul and user_id = rater;
    insert into ratings (soul_id, user_id, rating) values (of_soul, rater, stars)
      on conflict (soul_id, user_id) do update set rating = excluded.rating, rated_at = hub_now();
    update souls as soul set
        rating_sum = soul.rating_sum + stars - coalesce(former, 0),
        rating_count = soul.rating_count + case when former is null then 1 else 0 end
      where soul.id = of_soul
      returning soul.rating_sum, soul.rating_count into rating_sum, rating_count;
  end $$
