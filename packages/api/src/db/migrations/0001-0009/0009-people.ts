import { Migration } from "@mikro-orm/migrations";

/** The people of a room, invites to private rooms, and shared conversations (0040). */
export class People extends Migration {
  override name = "0009-people";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table room_people (
    room_id bigint not null
      constraint room_people_room_id_foreign references chat_rooms on delete cascade,
    participant text not null,
    name text not null,
    is_member boolean not null default false,
    restriction text
      constraint room_people_restriction_check check (restriction in ('muted', 'banned')),
    restricted_until timestamptz,
    seen_to bigint not null default 0,
    created_at timestamptz not null default hub_now(),
    primary key (room_id, participant))`,
  "create index room_people_participant_index on room_people (participant)",
  // Finds the restricted participants of a room with many readers.
  `create index room_people_restricted_index on room_people (room_id)
    where restriction is not null`,

  `create table room_invites (
    id bigserial primary key,
    room_id bigint not null
      constraint room_invites_room_id_foreign references chat_rooms on delete cascade,
    invite_hash text not null constraint room_invites_invite_hash_unique unique,
    invite_sealed text not null,
    uses int not null,
    used int not null default 0,
    expires_at timestamptz not null,
    created_at timestamptz not null default hub_now())`,
  "create index room_invites_room_id_index on room_invites (room_id)",

  `create table room_shares (
    id text primary key,
    room_id bigint not null
      constraint room_shares_room_id_foreign references chat_rooms on delete cascade,
    to_id bigint not null,
    with_names boolean not null default false,
    created_at timestamptz not null default hub_now())`,
  "create index room_shares_room_id_index on room_shares (room_id)",
];
