-- Returns the lexemes of a soul (0010). Unmarked: the words of all four texts. `^word`: a word of the
-- title. `=role`: the role. A single character: a sign of the title. No word begins with a mark.
-- Stored columns of souls contain the result: a changed body needs a new name and a migration.
create or replace function hub_search_vector(title text, description text, domain text, role text)
  returns tsvector language sql immutable strict parallel safe
  return setweight(to_tsvector('simple', hub_normalize_words(title)), 'A')
    || setweight(to_tsvector('simple', hub_normalize_words(domain || ' ' || role)), 'B')
    || setweight(to_tsvector('simple', hub_normalize_words(description)), 'C')
    || replace(' ' || strip(to_tsvector('simple', hub_normalize_words(title)))::text,
      ' ''', ' ''^')::tsvector
    || hub_signs(title)
    || array_to_tsvector(array['=' || role])
