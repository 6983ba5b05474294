import { Migration } from "@mikro-orm/migrations";

/**
 * What the lists need with a million souls. `role` in every sort order's index, so that a category's
 * list at an offset of 10,000 is read from the index alone; `rating_sum` too, because PostgreSQL
 * knows an index on an expression to be enough only when it holds the expression's columns. Titles
 * by their beginning, for the first two tiers of a search.
 */
export class SearchAtAMillion extends Migration {
  override name = "0005-search-at-a-million";

  override up(): void {
    for (const [name, keys, beside] of [
      ["newest", "id desc", "role"],
      ["popular", "like_count desc, fork_count desc, id desc", "role"],
      ["forks", "fork_count desc, id desc", "role"],
      ["updated", "updated_at desc, id desc", "role"],
      [
        "rating",
        "(rating_sum::float8 / greatest(rating_count, 1)) desc, rating_count desc, id desc",
        "role, rating_sum",
      ],
    ]) {
      this.addSql(`drop index souls_${name}_index`);
      this.addSql(
        `create index souls_${name}_index on souls (${keys}) include (${beside}) where is_public = 1`,
      );
    }
    // A seldom category's souls are read from here, whatever they are ordered by.
    this.addSql("drop index souls_role_index");
    this.addSql(
      `create index souls_role_index on souls (role, id desc)
        include (like_count, fork_count, rating_sum, rating_count, updated_at) where is_public = 1`,
    );
    // Of all souls: the planner never combines two partial indexes with one condition.
    this.addSql("create index souls_title_index on souls (lower(title) text_pattern_ops)");
    // By the planner's estimates the search chooses its way: a thousand words and a hundred stretches
    // of titles, the default, are too coarse to tell 1,000 matches of a million from 8,000.
    this.addSql("alter index souls_title_index alter column 1 set statistics 500");
    this.addSql("alter table souls alter column search set statistics 300");
  }
}
