import { sql } from "kysely";
import { writeAudit } from "../../audit/write-audit.ts";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";

declare module "../../context.ts" {
  interface HubConfig {
    /** Reports within a day that take a soul out of the lists; 0 for none (0062). */
    autoLimit: number;
  }
}

/**
 * Takes a soul out of the lists if enough accounts have reported it within 24 hours (0062). Only
 * accounts older than 7 days with a verified address count. A decision of the staff lists it again.
 */
export async function unlistReported(
  { config }: Pick<Hub, "config">,
  tx: Db,
  caseId: number,
  { soul_id, target }: { soul_id: number | null; target: string },
): Promise<void> {
  if (config.autoLimit === 0 || soul_id === null) return;
  const { rows } = await sql<{ trusted: number }>`
    select count(*) as trusted from mod_reports
    join accounts on accounts.id = substring(mod_reports.reporter from '^account:(\\d+)$')::bigint
    where case_id = ${caseId} and mod_reports.created_at > hub_now() - interval '24 hours'
      and accounts.created_at < hub_now() - interval '7 days'
      and accounts.email_verified_at is not null`.execute(tx);
  if ((rows[0]?.trusted ?? 0) < config.autoLimit) return;
  const unlisted = await tx
    .updateTable("souls")
    .set({ is_listed: false })
    .where("id", "=", soul_id)
    .where("is_listed", "=", true)
    .returning("id")
    .executeTakeFirst();
  if (unlisted) await writeAudit(tx, { actor: "hub", action: "unlist-soul", target });
}
