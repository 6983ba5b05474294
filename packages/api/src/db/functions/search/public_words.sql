-- Returns the text of a soul from which others learn words; null for a soul that no list shows (0079).
create or replace function public_words(soul souls) returns text language sql immutable as $$
  select concat_ws(' ', soul.title, soul.domain, soul.role, left(soul.description, 300))
    where soul.is_public = 1 and soul.is_listed and soul.deleted_at is null $$
