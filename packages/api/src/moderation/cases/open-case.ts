import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { Vault } from "../../vault.ts";
import { sealEvidence } from "../evidence/evidence.queries.ts";
import type { Target } from "./find-target.ts";

/**
 * Opens a case, or finds the open one of the same target, and seals the text into it (0062). The
 * case stays locked until the end of the transaction.
 */
export async function openCase(tx: Db, vault: Vault, { row, excerpt }: Target) {
  const opened = await tx
    .insertInto("mod_cases")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("target")
        .where("state", "=", sql.lit("open"))
        // A reply has an author once a person has rewritten it.
        .doUpdateSet({
          account_id: sql<number | null>`coalesce(mod_cases.account_id, excluded.account_id)`,
        }),
    )
    .returning(["id", "revision"])
    .executeTakeFirstOrThrow();
  if (excerpt) {
    const text = JSON.stringify(excerpt);
    await sealEvidence(tx, vault, { caseId: opened.id, kind: "reported", text });
  }
  return opened;
}
