import { Migration } from "@mikro-orm/migrations";

/** Likes and ratings, one per account and soul; and a way to the rooms that somebody wrote in. */
export class LikesAndRatings extends Migration {
  override name = "0003-likes-and-ratings";

  override up(): void {
    for (const [table, columns] of [
      ["likes", "created_at timestamptz not null default hub_now()"],
      [
        "ratings",
        `rating smallint not null
          constraint ratings_rating_check check (rating >= 1 and rating <= 5),
        rated_at timestamptz not null default hub_now()`,
      ],
    ]) {
      this.addSql(`create table ${table} (
        soul_id bigint not null
          constraint ${table}_soul_id_foreign references souls on delete cascade,
        user_id bigint not null
          constraint ${table}_user_id_foreign references accounts on delete cascade,
        ${columns},
        primary key (soul_id, user_id))`);
      this.addSql(`create index ${table}_user_id_index on ${table} (user_id)`);
    }
    // For GET /api/my-chats: the rooms of one sender, without reading what they wrote.
    this.addSql("create index chat_messages_sender_index on chat_messages (sender, room_id)");
  }
}
