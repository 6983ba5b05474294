-- Notes up to `most` souls that the search does not know: those from before it, or from before another
-- model (0079). Popular souls are embedded first. The souls are locked before their vectors, as by a
-- change of a soul. Returns the number of souls; null while another server does so.
create or replace function fill_soul_search(most int) returns int language plpgsql as $$
  declare
    of_model text;
    filled bigint;
    locked bigint[];
  begin
    select model, filled_to into of_model, filled from vector_model for update skip locked;
    if not found then return null; end if;
    locked := array(select id from souls where is_public = 1 and is_listed and id > filled
      order by id limit most for share);
    insert into soul_word_changes (gained)
      select array_agg(distinct word) from souls,
        unnest(tsvector_to_array(to_tsvector('simple', hub_normalize_words(
          concat_ws(' ', title, domain, role, left(description, 300)))))) as word
      where id = any(locked) and word ~ '^[[:alpha:]]{4,40}$';
    insert into soul_vectors (soul_id, model, priority)
      select id, of_model, like_count from souls
      where id = any(locked) and of_model is not null
      on conflict do nothing;
    update vector_model set filled_to = locked[cardinality(locked)] where cardinality(locked) > 0;
    return cardinality(locked);
  end $$
