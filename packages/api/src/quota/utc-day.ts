import { sql } from "kysely";

/** The day is UTC, by the database clock. */
export const utcDay = sql<string>`(hub_now() at time zone 'utc')::date`;

/** When it ends. */
export const dayEnd = sql`
  (${utcDay} + 1)::text as next_day,
  ceil(extract(epoch from (${utcDay} + 1) - (hub_now() at time zone 'utc')))::int as seconds_left`;
