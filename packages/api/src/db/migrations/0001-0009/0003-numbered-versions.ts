import { Migration } from "@mikro-orm/migrations";

/** The number, note and signature of each state of a soul (0037). */
export class NumberedVersions extends Migration {
  override name = "0003-numbered-versions";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table souls add column version int not null default 1",
  "alter table souls add column version_note text",
  "alter table souls add column signature jsonb",
  // Null until `number_versions` has numbered the snapshots of the soul.
  "alter table soul_versions add column number int",
  "alter table soul_versions add column note text",
  "alter table soul_versions add column is_hidden boolean not null default false",
  "alter table soul_versions add column signature jsonb",
];
