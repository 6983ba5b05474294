-- Takes up to 200 noted changes over into soul_terms: adds the words of public souls, and removes
-- those that no public soul holds any more. Returns the number of changes. One server does so at a
-- time: a removal must not overtake the addition of the same word.
create or replace function settle_soul_terms() returns int language plpgsql as $$
  declare
    taken int;
    gained text[];
    lost text[];
  begin
    if not pg_try_advisory_xact_lock(hashtext('settle_soul_terms')) then return 0; end if;
    with changes as (
      delete from soul_word_changes where id in (
        select id from soul_word_changes order by id limit 200) returning *),
    words as (
      select distinct word, side = 'gained' as is_gained
      from changes, unnest(array['gained', 'lost'], array[changes.gained, changes.lost])
          as sides (side, words),
        unnest(tsvector_to_array(to_tsvector('simple', hub_normalize_words(words)))) as word
      where word ~ '^[[:alpha:]]{4,40}$')
    select (select count(*) from changes), array_agg(word) filter (where is_gained),
        array_agg(word) filter (where not is_gained) into taken, gained, lost from words;
    insert into soul_terms select unnest(gained) on conflict do nothing;
    delete from soul_terms where term = any(lost) and not exists (
      select from souls where is_public = 1 and is_listed
        and search @@ quote_literal(term)::tsquery);
    return taken;
  end $$
