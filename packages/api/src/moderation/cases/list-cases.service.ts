import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import type { Reason } from "../moderation.schema.ts";
import { type Page, toPage } from "../paging.ts";
import { targetOfCase } from "./case.queries.ts";

export type CaseState = "open" | "appealed" | "closed";

/** Selects cases as lists show them. */
export const selectCases = (db: Db) =>
  db
    .selectFrom("mod_cases")
    .select(["mod_cases.id", "revision", "opened_at", targetOfCase])
    .select([
      sql<CaseState>`state`.as("state"),
      sql<"soul" | "message" | "person" | "room">`kind`.as("kind"),
      sql<number>`(select count(*) from mod_reports where case_id = mod_cases.id)`.as("reports"),
      sql<Reason[]>`to_json(array(select distinct reason from mod_reports
        where case_id = mod_cases.id order by reason))`.as("reasons"),
    ]);

/**
 * Lists cases: GET /api/mod/cases (0062). Those that wait come oldest first, decided ones newest
 * first. Cases about the caller are left out.
 */
export async function listCases(
  { db, caller }: AccountContext,
  { state, cursor, limit }: Page & { state: CaseState },
) {
  const isDecided = state === "closed";
  let cases = selectCases(db)
    .where("state", "=", state)
    .where("account_id", "is distinct from", caller.account.id);
  if (cursor !== undefined) cases = cases.where("mod_cases.id", isDecided ? "<" : ">", cursor);
  const rows = await cases
    .orderBy("mod_cases.id", isDecided ? "desc" : "asc")
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit);
}
