-- Returns characters that are no words: punctuation, emoji, and ideographs and kana, whose sentences
-- have no spaces and would be one word each.
create or replace function hub_signs(input text) returns tsvector
  language sql immutable strict parallel safe
  return array_to_tsvector(string_to_array(regexp_replace(hub_normalize(input),
    '(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[[:alnum:][:space:]]', '', 'g'), null))
