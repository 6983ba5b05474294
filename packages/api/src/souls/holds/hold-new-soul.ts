import { sql } from "kysely";
import { effectiveRestriction } from "../../accounts/standing/standing.queries.ts";
import type { Db } from "../../db/database.ts";
import { holdSouls } from "./hold-souls.ts";
import type { HoldKind } from "./soul-hold.entity.ts";

/**
 * Holds a soul that was inserted in this transaction like the other souls of its account, which may
 * have been suspended or closed since the call began (0061). An import and a copy take a while. This
 * lock waits for a suspension, and a suspension for this lock, so one of the two sees the other.
 */
export async function holdNewSoul(tx: Db, soulId: number, ownerId: number): Promise<void> {
  const owner = await tx
    .selectFrom("accounts")
    .select([
      sql<boolean>`${effectiveRestriction("suspension")} is not null`.as("suspension"),
      sql<boolean>`deletes_at is not null`.as("deletion"),
    ])
    .where("id", "=", ownerId)
    .forShare()
    .executeTakeFirstOrThrow();
  const kinds = (["suspension", "deletion"] satisfies HoldKind[]).filter((kind) => owner[kind]);
  for (const kind of kinds) await holdSouls(tx, { soulIds: [soulId], kind });
}
