import { sql } from "kysely";
import type { z } from "zod";
import type { target } from "../moderation.schema.ts";

/** SQL: what a row of `mod_cases` is about, with the present title and username. */
export const targetOfCase = sql<z.infer<typeof target>>`json_build_object(
  'kind', mod_cases.kind, 'soul_id', mod_cases.soul_id, 'room_id', mod_cases.room_id,
  'message_id', mod_cases.message_id,
  'title', (select title from souls where souls.id = mod_cases.soul_id),
  'username', (select username from accounts where accounts.id = mod_cases.account_id))`.as(
  "target",
);
