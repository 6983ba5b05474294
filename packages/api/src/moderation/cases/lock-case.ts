import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";

/**
 * Locks a case and takes its next revision. It is the first lock of a transaction, and lets it change
 * the case's decisions (0062).
 * @param revision the revision that the actor has read; undefined for any
 * @throws HubError `case_not_found`, `case_changed`
 */
export async function lockCase(tx: Db, id: number, revision: number | undefined) {
  const subject = await tx
    .selectFrom("mod_cases")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new HubError("case_not_found"));
  if (revision !== undefined && subject.revision !== revision) throw new HubError("case_changed");
  const next = { revision: subject.revision + 1 };
  await tx.updateTable("mod_cases").set(next).where("id", "=", id).execute();
  return { ...subject, ...next };
}
