-- Normalizes case and composition (NFC). The database does so for souls and queries alike, because
-- lower case differs between programs. ς becomes σ; U+0307 is a remainder of İ.
-- Stored columns of souls contain the result: a changed body needs a new name and a migration.
create or replace function hub_normalize(input text) returns text
  language sql immutable strict parallel safe
  return translate(normalize(lower(input), nfc), U&'\03C2\0307', U&'\03C3')
