import { sql } from "kysely";
import { createDataLoader, createSingleFlight } from "../db/data-loader.ts";
import type { Db } from "../db/database.ts";
import { arrayOf, prepareQuery } from "../db/prepared-query.ts";
import type { Soul, SoulModeration } from "./souls.schema.ts";
import { presentNumber } from "./version/version-number.ts";

declare module "../context.ts" {
  interface Hub {
    souls: SoulReads;
    /** Reads why the hub's staff have hidden a soul; null if they have not (0062). */
    moderationOfSoul(soulId: number): Promise<SoulModeration | null>;
  }
}

/** A soul as it is stored. Its hashes are computed where a response shows them. */
export interface SoulRecord extends Omit<Soul, "digest" | "content_sha256" | "moderation"> {
  package_id: number | null;
  /** The nickname of the character card that the soul came from; null if it came from none. */
  nickname: string | null;
}

/** The frequent reads of souls. Equal reads of one event-loop turn share a query (0003). */
export interface SoulReads {
  /** Reads a soul, also a private one: the caller of this function checks visibility. */
  byId(id: number): Promise<SoulRecord | undefined>;
  /** Runs `read` once for all calls with the same key in one event-loop turn. */
  list: <T>(key: string, read: () => Promise<T>) => Promise<T>;
}

export interface Ratings {
  rating_sum: number;
  rating_count: number;
}

/** Returns the mean rating, rounded to two decimals; 0 without ratings. */
export const averageRating = ({ rating_sum, rating_count }: Ratings): number =>
  rating_count === 0 ? 0 : Math.round((rating_sum / rating_count) * 100) / 100;

/** The columns that {@link toListEntry} turns into a list entry. */
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

/** Turns a row into a list entry, with the mean of its ratings instead of their sum. */
export function toListEntry<Row extends Ratings & { file_type: string }>(row: Row) {
  const { rating_sum, rating_count, ...rest } = row;
  return {
    ...rest,
    file_type: row.file_type as SoulRecord["file_type"],
    avg_rating: averageRating(row),
    total_ratings: rating_count,
  };
}

export function createSoulReads(db: Db): SoulReads {
  const shared = createSingleFlight<unknown>();
  const soulsByIds = prepareQuery(db, (ids: number[]) =>
    db
      .selectFrom("souls")
      .innerJoin("accounts", "accounts.id", "souls.user_id")
      .leftJoin("soul_packages", "soul_packages.id", "souls.package_id")
      .select([
        ...listColumns,
        "souls.user_id",
        "souls.package_id",
        "soul_packages.nickname",
        "souls.content",
        "souls.is_public",
        "souls.forked_from",
        "souls.nft_contract",
        "souls.version_note",
        "souls.signature",
        "souls.updated_at",
        presentNumber.as("version"),
      ])
      .where("souls.id", "=", sql<number>`any(${arrayOf(ids, "bigint")})`)
      .where("souls.deleted_at", "is", null),
  );
  return {
    byId: createDataLoader(async (ids: number[]) => {
      const rows = await soulsByIds(ids);
      return new Map(
        rows.map((row) => [
          row.id,
          { ...toListEntry(row), content_hidden: false, has_package: row.package_id !== null },
        ]),
      );
    }),
    list: (key, read) => shared(key, read) as ReturnType<typeof read>,
  };
}
