import { type InferResult, sql } from "kysely";
import type { z } from "zod";
import { batchedRead, sharedRead } from "../db/batched-read.ts";
import type { Db } from "../db/entities.ts";
import { utcText } from "../db/utc-text.ts";
import { averageRating } from "./average-rating.ts";
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
  // Built once: building it anew for every batch took 2 to 3 % of the time of a read.
  const soulsByIds = db
    .selectFrom("souls")
    .innerJoin("accounts", "accounts.id", "souls.user_id")
    .select([
      ...listColumns,
      "souls.user_id",
      "souls.content",
      "souls.is_public",
      "souls.forked_from",
      "souls.nft_contract",
      "souls.updated_at",
    ])
    .where("souls.id", "=", sql<number>`any(${[]}::bigint[])`)
    .compile();
  return {
    byId: batchedRead(async (ids: number[]) => {
      const question = { ...soulsByIds, parameters: [ids] };
      const { rows } = await db.executeQuery<InferResult<typeof soulsByIds>[number]>(question);
      return new Map(
        rows.map((row) => [
          row.id,
          { ...toListEntry(row), content_hidden: false, updated_at: utcText(row.updated_at) },
        ]),
      );
    }),
    list: (question, read) => shared(question, read) as ReturnType<typeof read>,
  };
}
