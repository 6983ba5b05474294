import { Migration } from "@mikro-orm/migrations";

/**
 * The tree over each room's log, the room's revision, reactions, and the versions of its summary
 * (0038). A room of an earlier release reads as one that never branched.
 */
export class Trees extends Migration {
  override name = "0006-trees";

  override up(): void {
    // A call locks its room before it adds a line. This order causes no deadlock with a call.
    for (const statement of [...rooms, ...lines, ...tables]) this.addSql(statement);
  }
}

const lines = [
  "parent_id bigint",
  "made_by jsonb",
  "audience text not null default 'room'",
  "revision bigint not null default 0",
  "edited_at timestamptz",
  "edited_by text",
  "removed_at timestamptz",
].map((column) => `alter table chat_messages add column ${column}`);

const rooms = [
  "revision bigint not null default 0",
  "active_id bigint",
  "path_epoch int not null default 0",
  "is_branched boolean not null default false",
  "title text",
  "answers text not null default 'always'",
  "talk text not null default 'anyone'",
  "souls jsonb",
].map((column) => `alter table chat_rooms add column ${column}`);

const tables = [
  `create table message_reactions (
    message_id bigint not null
      constraint message_reactions_message_id_foreign references chat_messages on delete cascade,
    participant text not null,
    emoji text not null,
    name text not null,
    created_at timestamptz not null default hub_now(),
    primary key (message_id, participant, emoji))`,

  `create table room_summaries (
    room_id bigint not null
      constraint room_summaries_room_id_foreign references chat_rooms on delete cascade,
    version int not null,
    text text not null,
    covers_to bigint not null,
    made_by text not null
      constraint room_summaries_made_by_check check (made_by in ('fold', 'person', 'rollback')),
    name text,
    created_at timestamptz not null default hub_now(),
    primary key (room_id, version))`,
];
