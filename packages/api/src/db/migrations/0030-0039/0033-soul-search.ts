import { Migration } from "@mikro-orm/migrations";
import { readSqlFunction } from "../../sql-functions.ts";

const TEXTS = ["title", "description", "content", "role", "domain"];
const RIGHTS = ["is_public", "is_listed", "nft_contract"];
const changes = [...TEXTS, ...RIGHTS].map(
  (column) => `old.${column} is distinct from new.${column}`,
);

/** The vectors and words by which souls are found, and the triggers that keep them (0079). */
export class SoulSearch extends Migration {
  override name = "0033-soul-search";

  override up(): void {
    this.addSql(`create table vector_model (
      is_only boolean primary key default true check (is_only),
      model text,
      filled_to bigint not null default 0)`);
    this.addSql("insert into vector_model default values");
    this.addSql(`create table soul_vectors (
      soul_id bigint not null constraint soul_vectors_soul_id_foreign
        references souls on delete cascade,
      model text not null,
      priority bigint not null,
      taken_at timestamptz,
      text_hash text,
      bits bit varying,
      vector bytea,
      primary key (soul_id, model))`);
    this.addSql(`create index soul_vectors_waiting_index on soul_vectors
      (model, priority desc, soul_id desc) where vector is null`);
    this.addSql("create table soul_terms (term text primary key)");
    this.addSql("create index soul_terms_trgm_index on soul_terms using gin (term gin_trgm_ops)");
    this.addSql(`create table soul_word_changes (
      id bigserial primary key, gained text[], lost text[])`);
    this.addSql(
      readSqlFunction("note_soul_text")
        .replace(/^--.*\n/gm, "")
        .replace("create or replace", "create"),
    );
    const run = "for each row execute function note_soul_text()";
    this.addSql(`create trigger souls_noted_new after insert on souls ${run}`);
    this.addSql(`create trigger souls_noted_gone after delete on souls ${run}`);
    this.addSql(`create trigger souls_noted_change
      after update of ${[...TEXTS, ...RIGHTS].join(", ")} on souls
      for each row when (${changes.join(" or ")}) execute function note_soul_text()`);
  }
}
