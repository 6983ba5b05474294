-- Likes a visible soul, or withdraws the like, under the soul's lock. soul_title is null where the
-- caller sees no such soul. A function saves the round trips of a transaction (0015). Its statements
-- each see rows committed before them; those of one `with` would not, once they waited for the lock.
create or replace function toggle_like(
    of_soul bigint, liker bigint, out soul_title text, out liked boolean)
  language plpgsql as $$
  begin
    select title into soul_title from souls
      where id = of_soul and (is_public = 1 or user_id = liker) for update;
    if not found then return; end if;
    delete from likes where soul_id = of_soul and user_id = liker;
    liked := not found;
    if liked then insert into likes (soul_id, user_id) values (of_soul, liker); end if;
    update souls set like_count = like_count + case when liked then 1 else -1 end
      where id = of_soul;
  end $$
