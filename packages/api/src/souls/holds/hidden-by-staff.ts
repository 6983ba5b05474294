import { type RawBuilder, type SqlBool, sql } from "kysely";

/** The condition that the hub's staff hide a soul, which the columns of `souls` do not tell (0061). */
export const hiddenByStaff = (
  soulId: RawBuilder<unknown>,
): RawBuilder<SqlBool> => sql<SqlBool>`exists (
  select from soul_holds as held where held.soul_id = ${soulId} and held.kind = 'moderation')`;
