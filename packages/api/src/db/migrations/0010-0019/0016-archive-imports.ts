import { Migration } from "@mikro-orm/migrations";

/** What accounts imported from archives, and the messages that came with them (0053). */
export class ArchiveImports extends Migration {
  override name = "0016-archive-imports";

  override up(): void {
    this.addSql(`create table archive_imports (
      account_id bigint not null
        constraint archive_imports_account_id_foreign references accounts on delete cascade,
      hub_id text not null,
      kind text not null,
      source_id bigint not null,
      target_id bigint not null,
      state bigint not null,
      primary key (account_id, hub_id, kind, source_id))`);
    this.addSql("alter table chat_messages add column imported boolean not null default false");
  }
}
