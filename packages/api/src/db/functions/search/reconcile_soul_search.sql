-- Notes up to `most` listed public souls without a row of the present model, and deletes up to `most`
-- rows of other souls: a transaction may have begun before the model was known, or the trigger may
-- have failed (0079). Returns the number of souls.
create or replace function reconcile_soul_search(most int) returns int language plpgsql as $$
  declare
    of_model text := (select model from vector_model);
    missing bigint[];
    surplus bigint[];
  begin
    missing := array(select id from souls
      where is_public = 1 and is_listed and of_model is not null and not exists (
        select from soul_vectors where soul_id = souls.id and model = of_model)
      limit most for share skip locked);
    surplus := array(select id from souls
      where not (is_public = 1 and is_listed) and exists (
        select from soul_vectors where soul_id = souls.id)
      limit most for share skip locked);
    insert into soul_word_changes (gained)
      select array_agg(distinct word) from souls,
        unnest(tsvector_to_array(to_tsvector('simple', hub_normalize_words(
          concat_ws(' ', title, domain, role, left(description, 300)))))) as word
      where id = any(missing) and word ~ '^[[:alpha:]]{4,40}$';
    insert into soul_vectors (soul_id, model, priority)
      select unnest(missing), of_model, 0 on conflict do nothing;
    delete from soul_vectors where soul_id = any(surplus);
    return cardinality(missing) + cardinality(surplus);
  end $$
