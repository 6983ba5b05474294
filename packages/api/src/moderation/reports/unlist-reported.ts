import { sql } from "kysely";
import { writeAudit } from "../../audit/write-audit.ts";
import { asksToVerify } from "../../caller/assert-verified.ts";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";

/**
 * Takes a soul out of the lists if enough accounts have reported it within 24 hours (0062). Only
 * accounts older than 7 days with a verified address count, and reports since the last decision of
 * the staff about the soul, which lists it again. A hub that verifies no addresses unlists nothing.
 */
export async function unlistReported(
  hub: Pick<Hub, "config" | "mail">,
  tx: Db,
  caseId: number,
  { soul_id, target }: { soul_id: number | null; target: string },
): Promise<void> {
  const { autoLimit } = hub.config;
  if (autoLimit === 0 || soul_id === null || !asksToVerify(hub)) return;
  const { rows } = await sql<{ trusted: number }>`
    select count(*) as trusted from mod_reports
    join accounts on accounts.id = substring(mod_reports.reporter from '^account:(\\d+)$')::bigint
    where mod_reports.case_id = ${caseId} and mod_reports.created_at > hub_now() - interval '24 hours'
      and accounts.created_at < hub_now() - interval '7 days'
      and accounts.email_verified_at is not null
      and mod_reports.created_at > all (select decided.created_at
        from mod_decisions as decided join mod_cases on mod_cases.id = decided.case_id
        where mod_cases.soul_id = ${soul_id} and mod_cases.kind = 'soul')`.execute(tx);
  if ((rows[0]?.trusted ?? 0) < autoLimit) return;
  const unlisted = await tx
    .updateTable("souls")
    .set({ is_listed: false })
    .where("id", "=", soul_id)
    .where("is_listed", "=", true)
    .returning("id")
    .executeTakeFirst();
  if (unlisted) await writeAudit(tx, { actor: "hub", action: "unlist-soul", target });
}
