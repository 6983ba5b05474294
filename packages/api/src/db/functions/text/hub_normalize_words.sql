-- Replaces ASCII punctuation with spaces: PostgreSQL's parser takes read/write, a.b and me@x for one
-- word each, as a path, a host and an address.
create or replace function hub_normalize_words(input text) returns text
  language sql immutable strict parallel safe
  return translate(hub_normalize(input), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32))
