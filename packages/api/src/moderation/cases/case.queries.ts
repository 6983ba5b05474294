import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { target } from "../moderation.schema.ts";

const targetWith = (soul: RawBuilder<boolean>, account: RawBuilder<boolean>) =>
  sql<z.infer<typeof target>>`json_build_object(
  'kind', mod_cases.kind, 'soul_id', mod_cases.soul_id, 'room_id', mod_cases.room_id,
  'message_id', mod_cases.message_id,
  'title', (select title from souls where souls.id = mod_cases.soul_id and ${soul}),
  'username', (select username from accounts
    where accounts.id = mod_cases.account_id and ${account}))`.as("target");

/**
 * SQL: the target of a row of `mod_cases` for staff, with the present title and username. They read
 * no title of a soul that its author keeps private.
 */
export const targetOfCase = targetWith(
  sql<boolean>`(souls.is_public = 1 or exists (
    select from soul_holds where soul_id = souls.id and was_public = 1))`,
  sql<boolean>`true`,
);

/**
 * SQL: the same for an account, which reads no title of a hidden or private soul of others, and does
 * not learn the owner of a room.
 */
export const targetFor = (accountId: number) =>
  targetWith(
    sql<boolean>`(souls.is_public = 1 or souls.user_id = ${accountId})`,
    sql<boolean>`(mod_cases.kind <> 'room' or accounts.id = ${accountId})`,
  );
