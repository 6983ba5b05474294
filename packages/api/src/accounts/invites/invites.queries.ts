import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** Days after which the row of an expired invite is deleted. */
const KEEP_EXPIRED_DAYS = 30;

/** SQL: whether an invite is neither expired nor used up. */
export const isOpenInvite = sql<boolean>`(invites.used < invites.uses and invites.expires_at > hub_now())`;

/** Deletes invites that expired long ago. The sweeper calls this periodically. */
export async function sweepInvites(db: Db): Promise<void> {
  await db
    .deleteFrom("invites")
    .where(
      "expires_at",
      "<",
      sql<string>`hub_now() - make_interval(days => ${KEEP_EXPIRED_DAYS}::int)`,
    )
    .execute();
}
