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

/** A text that the database can store. */
export const storableText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((given) => given.isWellFormed() && !given.includes("\0"));

export const archivedId = z.int().min(0);
