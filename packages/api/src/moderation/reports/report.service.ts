import { sql } from "kysely";
import { lockAccount } from "../../accounts/standing/standing.queries.ts";
import { participantOf } from "../../chat/access/room-participant.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { findTarget } from "../cases/find-target.ts";
import type { GivenTarget } from "../cases/given-target.schema.ts";
import { openCase } from "../cases/open-case.ts";
import type { Reason } from "../moderation.schema.ts";
import { unlistReported } from "./unlist-reported.ts";

/** The reports of an account in 24 hours. Those of guests count per address (rate-limits.ts). */
const MAX_A_DAY = 20;
const dayAgo = sql<string>`(hub_now() - interval '24 hours')`;

type GivenReport = GivenTarget & { reason: Reason; note: string };

/**
 * Reports something that the caller sees: POST /api/reports (0062). A report that the caller has
 * made already, and that is not decided, is answered again and counts against no limit.
 * @throws HubError those of findTarget, `rate_limited`
 */
export async function report(ctx: CallContext, given: GivenReport) {
  const target = await findTarget(ctx, given, "shown");
  const reporter = participantOf(ctx);
  const known = await openReport(ctx.db, target.row.target, reporter.id);
  if (known === undefined && !("account" in ctx.caller)) {
    await ctx.limit(ctx.caller, "guestReport");
  }
  const report_id =
    known ??
    (await ctx.db.transaction().execute(async (tx) => {
      const opened = await openCase(tx, ctx.hub.vault, target);
      if ("account" in ctx.caller) await assertMayReport(ctx, tx, ctx.caller.account.id, opened.id);
      const { id } = await tx
        .insertInto("mod_reports")
        .values({
          case_id: opened.id,
          reporter: reporter.id,
          reporter_name: reporter.name,
          reason: given.reason,
          note: given.note,
        })
        .onConflict((conflict) =>
          conflict.columns(["case_id", "reporter"]).doUpdateSet({ reporter: reporter.id }),
        )
        .returning("id")
        .executeTakeFirstOrThrow();
      if (target.row.kind === "soul") await unlistReported(ctx.hub, tx, opened.id, target.row);
      return id;
    }));
  return { message: "Thank you. The hub's staff will look at it.", report_id };
}

/**
 * Counts the account's reports of the last 24 hours, on all servers. Reports at once of one account
 * wait for each other.
 * @param caseId the case of the present report, which may repeat one of them
 * @throws HubError `rate_limited`
 */
async function assertMayReport({ hub }: CallContext, tx: Db, accountId: number, caseId: number) {
  if (!hub.config.rateLimits) return;
  await lockAccount(tx, accountId);
  const last = await tx
    .selectFrom("mod_reports")
    .select(sql<number>`ceil(extract(epoch from created_at - ${dayAgo}))::int`.as("waits"))
    .where("reporter", "=", `account:${accountId}`)
    .where("case_id", "<>", caseId)
    .where("created_at", ">", dayAgo)
    .orderBy("id", "desc")
    .offset(MAX_A_DAY - 1)
    .limit(1)
    .executeTakeFirst();
  if (last) throw new HubError("rate_limited", { retryAfter: Math.max(1, last.waits) });
}

async function openReport(db: Db, target: string, reporter: string): Promise<number | undefined> {
  const known = await db
    .selectFrom("mod_reports")
    .innerJoin("mod_cases", "mod_cases.id", "mod_reports.case_id")
    .select("mod_reports.id")
    .where("mod_cases.target", "=", target)
    .where("mod_cases.state", "=", sql.lit("open"))
    .where("mod_reports.reporter", "=", reporter)
    .executeTakeFirst();
  return known?.id;
}
