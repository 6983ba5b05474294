-- Takes up to `most` noted changes over into soul_terms: adds the words of public souls, and removes
-- those that no public soul holds any more (0079). Returns the number of changes. One server does so
-- at a time: a removal must not overtake the addition of the same word.
--
-- An index looks up all souls of a word before the first is known. So a word of one of the newest souls
-- stays without a look-up: that leaves the words of few souls.
create or replace function settle_soul_terms(most int) returns int language plpgsql as $$
  declare
    taken int;
    new_terms text[];
    old_terms text[];
  begin
    if not pg_try_advisory_xact_lock(hashtext('settle_soul_terms')) then return 0; end if;
    with changes as (
      delete from soul_word_changes where id in (
        select id from soul_word_changes order by id limit most) returning gained, lost)
    select (select count(*) from changes),
        array(select distinct unnest(gained) from changes),
        array(select distinct unnest(lost) from changes)
      into taken, new_terms, old_terms;
    insert into soul_terms select unnest(new_terms) as term order by term on conflict do nothing;
    if cardinality(old_terms) > 0 then
      old_terms := array(select unnest(old_terms) except
        select unnest(tsvector_to_array(search)) from (
          select search from souls where is_public = 1 and is_listed
          order by id desc limit 500) as newest);
      delete from soul_terms where term = any(old_terms) and not exists (
        select from souls where is_public = 1 and is_listed
          and search @@ quote_literal(term)::tsquery);
    end if;
    return taken;
  end $$
