-- Notes a change of a listed public soul for the search (0079): the words that the soul gained and
-- lost, and an empty vector. The table keeps no text, because the soul may become private before
-- the upkeep reads the words. Each change inserts rows of its own, and waits for no other change.
-- Servers of the release before run this trigger as well, so a fault of the trigger must not fail
-- their writes. The warning contains no text of users.
create or replace function note_soul_text() returns trigger language plpgsql as $$
  declare
    was text := case when old.is_public = 1 and old.is_listed then
      concat_ws(' ', old.title, old.domain, old.role, left(old.description, 300)) end;
    present text := case when new.is_public = 1 and new.is_listed then
      concat_ws(' ', new.title, new.domain, new.role, left(new.description, 300)) end;
  begin
    if was is distinct from present then
      insert into soul_word_changes (gained, lost)
        select gained, lost from (
          select array_agg(word) filter (where is_gained) as gained,
            array_agg(word) filter (where not is_gained) as lost
          from (
            select word, bool_and(is_gained) as is_gained
            from (values (true, present), (false, was)) as sides (is_gained, words),
              unnest(tsvector_to_array(to_tsvector('simple', hub_normalize_words(words)))) as word
            where word ~ '^[[:alpha:]]{4,40}$'
            group by word having count(*) = 1) as changed) as words
        where gained is not null or lost is not null;
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
