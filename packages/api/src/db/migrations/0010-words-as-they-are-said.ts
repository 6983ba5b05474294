import { Migration } from "@mikro-orm/migrations";

/**
 * What a search compares, made by the database alone on both sides, the soul's and the question's
 * (docs/decisions/0010-search.md): another program's lower case is not PostgreSQL's.
 */
export class WordsAsTheyAreSaid extends Migration {
  override name = "0010-words-as-they-are-said";

  override up(): void {
    // Their bodies are bound when they are made: a restored dump finds them without a search path.
    // ς is σ at the end of a word; U+0307 is what other programs leave of İ.
    this.addSql(`create function hub_folded(said text) returns text
      language sql immutable strict parallel safe
      return translate(normalize(lower(said), nfc), U&'\\03C2\\0307', U&'\\03C3')`);
    // PostgreSQL's parser takes read/write, a.b and me@x for one word each, a path, a host, an address.
    this.addSql(`create function hub_spoken(said text) returns text
      language sql immutable strict parallel safe
      return translate(hub_folded(said), ${PUNCTUATION}, repeat(' ', 32))`);
    // What stands in no word but can be asked for: punctuation, emoji; and ideographs and kana,
    // which are written without spaces, so that the parser makes one word of a whole sentence.
    this.addSql(`create function hub_signs(said text) returns tsvector
      language sql immutable strict parallel safe
      return array_to_tsvector(string_to_array(regexp_replace(hub_folded(said),
        '(?![\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff])[[:alnum:][:space:]]', '', 'g'), null))`);
    // No index knows where a word stands, so those of a title are in it once more, apart from the
    // others: no sign is two characters long, and no word begins with one.
    this.addSql(`create function hub_title_words(said text) returns tsvector
      language sql immutable strict parallel safe
      return replace(' ' || strip(to_tsvector('simple', hub_spoken(said)))::text,
        ' ''', ' ''^')::tsvector`);

    this.addSql("drop index souls_title_trgm_index");
    this.addSql("drop index souls_title_index");
    this.addSql(`alter table souls drop column search,
      add column title_key text not null generated always as (hub_folded(title)) stored,
      add column search tsvector not null generated always as (
        setweight(to_tsvector('simple', hub_spoken(title)), 'A')
        || setweight(to_tsvector('simple', hub_spoken(domain || ' ' || role)), 'B')
        || setweight(to_tsvector('simple', hub_spoken(description)), 'C')
        || hub_title_words(title) || hub_signs(title)) stored`);
    this.addSql("create index souls_search_index on souls using gin (search)");
    // One soul in eight: a thousand matches among them are a thousand matches, and found in an eighth
    // of the time.
    this.addSql(
      "create index souls_search_sample_index on souls using gin (search) where is_public = 1 and id % 8 = 0",
    );
    this.addSql("create index souls_title_trgm_index on souls using gin (title_key gin_trgm_ops)");
    this.addSql(
      "create index souls_title_sample_index on souls using gin (title_key gin_trgm_ops) where is_public = 1 and id % 8 = 0",
    );
    this.addSql("create index souls_title_index on souls (title_key text_pattern_ops)");
    // By the planner's estimates a search chooses its way: a thousand words and a hundred stretches
    // of titles, the default, are too coarse to tell 1,000 matches of a million from 8,000.
    this.addSql("alter table souls alter column search set statistics 300");
    this.addSql("alter table souls alter column title_key set statistics 500");
  }
}

const PUNCTUATION = `'!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'`;
