import { sql } from "kysely";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { openEvidence } from "../evidence/evidence.queries.ts";
import type { Excerpt } from "../evidence/excerpt.schema.ts";
import type { Action, Reason } from "../moderation.schema.ts";
import { appealColumn } from "./appeal.queries.ts";
import { selectCases } from "./list-cases.service.ts";

/** The newest decisions about an account that its history shows. */
const MAX_HISTORY = 50;

/** The reports that are shown of a case: so many of the first ones, and of the newest. */
const REPORTS_OF_EACH_END = 100;

/**
 * Reads a case with the sealed text, its reports, its decisions and those about the same account:
 * GET /api/mod/cases/{id} (0062). The audit log holds each read.
 * @throws HubError `case_not_found`, also for a case about the caller
 */
export async function readCase(ctx: AccountContext, id: number) {
  const { db, hub } = ctx;
  const found = await selectCases(db)
    .select("account_id")
    .where("mod_cases.id", "=", id)
    .where("account_id", "is distinct from", ctx.caller.account.id)
    .executeTakeFirstOrThrow(() => new HubError("case_not_found"));
  const { account_id, reports: _, ...shown } = found;
  await writeAudit(db, { actor: actorOf(ctx.caller), action: "read-case", target: `case:${id}` });
  const [evidence, reports, decisions, history] = await Promise.all([
    openEvidence(db, hub.vault, { caseId: id, kind: "reported" }),
    reportsOf(db, id),
    decisionsAbout(db).where("case_id", "=", id).execute(),
    account_id === null
      ? []
      : decisionsAbout(db)
          .where("account_id", "=", account_id)
          .where("case_id", "<>", id)
          .limit(MAX_HISTORY)
          .execute(),
  ]);
  const excerpts = evidence.map(({ id: evidence_id, text, created_at }) => ({
    ...(JSON.parse(text) as Excerpt),
    id: evidence_id,
    sealed_at: created_at,
  }));
  const excerpt = excerpts.pop() ?? null;
  return { data: { ...shown, excerpt, earlier_excerpts: excerpts, reports, decisions, history } };
}

const reportsOf = (db: Db, caseId: number) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("mod_reports")
        .select(["id", "reporter_name", "note", "created_at", sql<Reason>`reason`.as("reason")])
        .select([
          sql<number>`row_number() over (order by id)`.as("from_first"),
          sql<number>`row_number() over (order by id desc)`.as("from_newest"),
        ])
        .where("case_id", "=", caseId)
        .as("report"),
    )
    .select(["id", "reporter_name", "note", "created_at", "reason"])
    .where(sql<boolean>`least(from_first, from_newest) <= ${REPORTS_OF_EACH_END}::int`)
    .orderBy("id")
    .execute();

const decisionsAbout = (db: Db) =>
  db
    .selectFrom("mod_decisions")
    .select(["id", "case_id", "message", "created_at", "until", "undone_at", appealColumn])
    .select([
      sql<Action>`action`.as("action"),
      sql<Reason>`reason`.as("reason"),
      sql<string>`coalesce((select username from accounts
        where id = substring(decided_by from '^account:(\\d+)$')::bigint), decided_by)`.as(
        "decided_by",
      ),
    ])
    .orderBy("id", "desc");
