import { sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { targetFor } from "../cases/case.queries.ts";
import type { Reason } from "../moderation.schema.ts";
import { type Page, toPage } from "../paging.ts";

/** Lists the caller's reports with their outcomes, newest first: GET /api/reports (0062). */
export async function listOwnReports({ db, caller }: AccountContext, { cursor, limit }: Page) {
  let reports = db
    .selectFrom("mod_reports")
    .innerJoin("mod_cases", "mod_cases.id", "mod_reports.case_id")
    .select(["mod_reports.id", "note", "mod_reports.created_at", targetFor(caller.account.id)])
    .select([
      sql<Reason>`reason`.as("reason"),
      sql<"acted" | "dismissed" | null>`case
        when exists (select from mod_decisions where mod_decisions.case_id = mod_cases.id
          and action not in ('dismiss', 'restore') and undone_at is null) then 'acted'
        when mod_cases.state = 'closed' then 'dismissed' end`.as("outcome"),
    ])
    .where("mod_reports.reporter", "=", participantId(caller));
  if (cursor !== undefined) reports = reports.where("mod_reports.id", "<", cursor);
  const rows = await reports
    .orderBy("mod_reports.id", "desc")
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit);
}
