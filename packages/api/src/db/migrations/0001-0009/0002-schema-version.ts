import { Migration } from "@mikro-orm/migrations";

/** The database's schema version and its identity, one row each (0030). */
export class SchemaVersion extends Migration {
  override name = "0002-schema-version";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "create table hub_schema (version int not null, oldest_app int not null)",
  "create unique index hub_schema_single_row on hub_schema ((true))",
  "insert into hub_schema (version, oldest_app) values (1, 1)",

  "create table hub_identity (id text not null, database_oid oid not null)",
  "create unique index hub_identity_single_row on hub_identity ((true))",
  // Servers of the first release compute this id at each start. During the upgrade, the servers of
  // both releases thus share their Redis keys (0016).
  `insert into hub_identity (id, database_oid)
    select left(md5(extract(epoch from min(executed_at))::text || pg_database.oid), 16), pg_database.oid
    from mikro_orm_migrations, pg_database
    where datname = current_database()
    group by pg_database.oid`,
];
