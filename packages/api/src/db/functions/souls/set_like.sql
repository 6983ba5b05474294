-- Likes a soul, or withdraws the like, under the soul's lock. failure is the code of a refusal. A
-- function saves the round trips of a transaction (0015). Each of its statements sees rows that were
-- committed before it; the statements of one `with` would not, once they waited for the lock.
create or replace function set_like(
    of_soul bigint, liker bigint, out failure text, out soul_title text, out liked boolean)
  language plpgsql as $$
  begin
    select locked.failure, locked.soul_title into failure, soul_title
      from lock_soul_to_mark(of_soul, liker) as locked;
    if failure is not null then return; end if;
    delete from likes where soul_id = of_soul and user_id = liker;
    liked := not found;
    if liked then insert into likes (soul_id, user_id) values (of_soul, liker); end if;
    update souls set like_count = like_count + case when liked then 1 else -1 end
      where id = of_soul;
  end $$
