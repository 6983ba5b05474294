import { sql } from "kysely";
import { z } from "zod";

// Fields of an archive that several of its files have. An archive comes from a stranger.

/** A time in UTC, as exports write it. PostgreSQL would fail for a day that does not exist. */
export const archivedTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .refine((text) => {
    const time = new Date(`${text.replace(" ", "T")}Z`);
    const isReal = !Number.isNaN(time.getTime()) && time.getUTCFullYear() >= 1;
    return isReal && time.toISOString().slice(0, 19) === text.replace(" ", "T");
  });

/** SQL: a time of an archive, which is never later than now. */
export const past = (given: string) => sql<string>`least(${given}::timestamptz, hub_now())`;

export const shortText = z.string().max(200);

export const archivedId = z.int().min(0);

/** Reports whether the database can store every text of a JSON value, which has few levels. */
export const isStorable = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed() && !value.includes("\0")
    : typeof value !== "object" || value === null || Object.values(value).every(isStorable);
