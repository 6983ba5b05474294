import { sql } from "kysely";
import { effectiveRestriction } from "../../accounts/standing/standing.queries.ts";
import type { Hub } from "../../context.ts";
import { announceHolds } from "../../souls/holds/announce-holds.ts";
import { releaseSouls } from "../../souls/holds/hold-souls.ts";

/** Shows the souls of accounts again whose suspension is over (0062). */
export async function endSuspensions(
  hub: Parameters<typeof announceHolds>[0] & Pick<Hub, "database">,
) {
  const { db } = hub.database;
  const { rows } = await sql<{ id: number }>`
    select distinct accounts.id from soul_holds
    join souls on souls.id = soul_holds.soul_id join accounts on accounts.id = souls.user_id
    where soul_holds.kind = 'suspension' and ${effectiveRestriction("suspension")} is null`.execute(
    db,
  );
  const released: number[] = [];
  try {
    for (const { id } of rows) {
      const ended = await db.transaction().execute(async (tx) => {
        const over = await tx
          .selectFrom("accounts")
          .select("id")
          .where("id", "=", id)
          .where(effectiveRestriction("suspension"), "is", null)
          .forNoKeyUpdate()
          .executeTakeFirst();
        return over ? releaseSouls(tx, { ownerId: id, kind: "suspension" }) : [];
      });
      released.push(...ended);
    }
  } finally {
    announceHolds(hub, released);
  }
}
