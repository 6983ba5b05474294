import { Migration } from "@mikro-orm/migrations";

/** What an imported file brought beside the content of a soul (0052). */
export class Packages extends Migration {
  override name = "0013-packages";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table soul_packages (
    id bigserial primary key,
    nickname text,
    created_at timestamptz not null default hub_now())`,

  `create table package_blobs (
    sha256 text primary key,
    size int not null,
    bytes bytea not null)`,

  `create table package_files (
    package_id bigint not null
      constraint package_files_package_id_foreign references soul_packages on delete cascade,
    path text not null,
    sha256 text not null
      constraint package_files_sha256_foreign references package_blobs,
    primary key (package_id, path))`,
  "create index package_files_sha256_index on package_files (sha256)",

  "alter table souls add column package_id bigint",
  "alter table soul_versions add column package_id bigint",
];
