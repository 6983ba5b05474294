import { Migration } from "@mikro-orm/migrations";

/**
 * Which words there are, so that a search knows what an unfinished one may become
 * (docs/decisions/0010-search.md). A word stays when its last soul is gone: it then finds nothing.
 */
export class WordsOfSouls extends Migration {
  override name = "0019-words-of-souls";

  override up(): void {
    // Not unique: two who write the same new word at once don't wait for each other.
    this.addSql(`create table soul_words (
      id bigserial primary key,
      word text not null)`);
    // Those of titles, marked with ^, are among the others.
    this.addSql(`insert into soul_words (word)
      select word from ts_stat('select search from souls') where word !~ '^\\^'`);
    this.addSql("create index soul_words_word_index on soul_words (word text_pattern_ops)");
    // By the index, whatever there is when it is planned: the plan is kept while the table grows.
    const note = (words: string) => `language plpgsql set enable_seqscan = off as $$
      begin
        insert into soul_words (word)
          select said.word from (${words} offset 0) as said (word)
          where said.word !~ '^\\^'
            and (select 1 from soul_words as known where known.word = said.word limit 1) is null;
        return null;
      end $$`;
    this.addSql(`create function note_added_words() returns trigger
      ${note("select distinct unnest(tsvector_to_array(search)) from added")}`);
    this.addSql(`create trigger note_added_words after insert on souls
      referencing new table as added for each statement execute function note_added_words()`);
    this.addSql(`create function note_changed_words() returns trigger
      ${note("select unnest(tsvector_to_array(new.search))")}`);
    this.addSql(`create trigger note_changed_words
      after update of title, description, role, domain on souls
      for each row execute function note_changed_words()`);
  }
}
