-- Returns the words of public souls that resemble a word that no public soul contains, at most 50 of
-- each, for the first 5 such words (0079). Words are asked by their place in the question. The last
-- one may be unfinished. A longer word than a term can be is not cast: tsquery limits its bytes.
create or replace function near_terms(asked text[], is_open boolean)
  returns table (nth int, word text, term text)
  language sql stable set pg_trgm.similarity_threshold = 0.1 as $$
    with words as materialized (
      select place::int as nth, hub_normalize(given) as word,
        case when is_open and place = cardinality(asked) then ':*' else '' end as ending
      from unnest(asked) with ordinality as words (given, place)),
    unknown as materialized (
      select * from words where length(word) between 4 and 42 and not exists (
        select from souls where is_public = 1 and is_listed
          and search @@ (quote_literal(word) || ending)::tsquery)
      limit 5)
    select nth, word, near.term from unknown, lateral (
      select soul_terms.term from soul_terms
      where soul_terms.term % word
        and length(soul_terms.term) between length(word) - 2 and length(word) + 2
      order by soul_terms.term <-> word, soul_terms.term limit 50) as near $$
