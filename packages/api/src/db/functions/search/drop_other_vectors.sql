-- Takes up to `most` souls out of other models, once all souls have vectors of the present one (0079).
-- A soul that was published while the model changed has a row of the former model alone: it gets one
-- of the present model. Returns the number of souls.
create or replace function drop_other_vectors(of_model text, most int) returns int
  language plpgsql as $$
  declare
    locked bigint[];
  begin
    locked := array(select id from souls
      where id in (select soul_id from soul_vectors where model is distinct from of_model limit most)
      order by id for share skip locked);
    delete from soul_vectors where soul_id = any(locked) and model is distinct from of_model;
    insert into soul_vectors (soul_id, model, priority)
      select soul.id, model, 0 from souls as soul, vector_model
      where id = any(locked) and public_words(soul) is not null and model = of_model
      on conflict do nothing;
    return cardinality(locked);
  end $$
