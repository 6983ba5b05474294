import { Migration } from "@mikro-orm/migrations";

/** The addresses of deleted rooms (0042), and since when a person may no longer enter (0062). */
export class ReservedRooms extends Migration {
  override name = "0028-reserved-rooms";

  override up(): void {
    this.addSql(`create table reserved_rooms (
      soul_id bigint not null
        constraint reserved_rooms_soul_id_foreign references souls on delete cascade,
      token_hash text not null,
      owner text not null,
      primary key (soul_id, token_hash))`);
    this.addSql("create index reserved_rooms_owner_index on reserved_rooms (owner)");
    this.addSql("alter table room_people add column restricted_at timestamptz");
  }
}
