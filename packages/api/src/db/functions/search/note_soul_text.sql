-- Notes a change of a listed public soul for the search (0079): its words, and that it needs a vector.
-- Its rows are its own, so it waits for no other publication. Servers of the release before run it,
-- too: no fault of its own may fail their writes. A warning holds no text of users.
create or replace function note_soul_text() returns trigger language plpgsql as $$
  declare
    was text := case when tg_op <> 'INSERT' then public_words(old) end;
    present text := case when tg_op <> 'DELETE' then public_words(new) end;
  begin
    if was is distinct from present then
      insert into soul_word_changes (gained, lost) values (present, was);
    end if;
    if present is null and tg_op = 'UPDATE' then
      delete from soul_vectors where soul_id = new.id;
    elsif present is not null then
      insert into soul_vectors as kept (soul_id, model, priority)
        select new.id, model, extract(epoch from now()) from vector_model where model is not null
        on conflict (soul_id, model) do update set priority = excluded.priority,
          taken_at = null, text_hash = null, bits = null, vector = null;
      delete from soul_vectors where soul_id = new.id
        and model is distinct from (select model from vector_model);
    end if;
    return null;
  exception when others then
    raise warning 'a soul is not noted for the search: %', sqlstate;
    return null;
  end $$
