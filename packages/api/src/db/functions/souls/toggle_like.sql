-- set_like for servers of the previous release, which look for a block before the call (0030).
create or replace function toggle_like(
    of_soul bigint, liker bigint, out soul_title text, out liked boolean)
  language plpgsql as $$
  begin
    select marked.soul_title, marked.liked into soul_title, liked
      from set_like(of_soul, liker) as marked where marked.failure is null;
  end $$
