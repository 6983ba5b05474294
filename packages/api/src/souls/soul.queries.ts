import { sql } from "kysely";
import type { z } from "zod";
import { batchedRead, sharedRead } from "../db/batched-read.ts";
import type { Db } from "../db/entities.ts";
import { utcText } from "../db/utc-text.ts";
import type { soul } from "./souls.schema.ts";

export type SoulRecord = z.infer<typeof soul>;

/** The hot reads of souls: gathered per turn of the event loop, never kept. */
export interface SoulReads {
  /** Whoever may see it: visibility is the caller's business. */
  byId(id: number): Promise<SoulRecord | undefined>;
  list: <T>(question: string, read: () => Promise<T>) => Promise<T>;
}

interface ListRow {
  created_at: string;
  rating_sum: number;
  rating_count: number;
}

/** Ratings with two digits after the point; 0 without any. */
const averageRating = ({ rating_sum, rating_count }: ListRow) =>
  rating_count === 0 ? 0 : Math.round((rating_sum / rating_count) * 100) / 100;

/** Every list of souls reads these columns and hands its rows to {@link toListEntry}. */
export const listColumns = [
  "souls.id",
  "souls.title",
  "souls.description",
  "souls.role",
  "souls.domain",
  "souls.compatibility",
  "souls.file_type",
  "souls.like_count",
  "souls.fork_count",
  "souls.rating_sum",
  "souls.rating_count",
  "souls.created_at",
  "accounts.username",
] as const;

export function toListEntry<Row extends ListRow & { file_type: string }>(row: Row) {
  const { rating_sum, rating_count, ...rest } = row;
  return {
    ...rest,
    file_type: row.file_type as SoulRecord["file_type"],
    created_at: utcText(row.created_at),
    avg_rating: averageRating(row),
    total_ratings: rating_count,
  };
}

export function createSoulReads(db: Db): SoulReads {
  const shared = sharedRead<unknown>();
  return {
    byId: batchedRead(async (ids: number[]) => {
      const rows = await db
        .selectFrom("souls")
        .innerJoin("accounts", "accounts.id", "souls.user_id")
        .select([
          ...listColumns,
          "souls.user_id",
          "souls.content",
          "souls.is_public",
          "souls.forked_from",
          "souls.updated_at",
        ])
        .where("souls.id", "=", sql<number>`any(${ids}::bigint[])`)
        .execute();
      return new Map(
        rows.map((row) => [row.id, { ...toListEntry(row), updated_at: utcText(row.updated_at) }]),
      );
    }),
    list: (question, read) => shared(question, read) as ReturnType<typeof read>,
  };
}
