import { sql } from "kysely";
import { participantOf } from "../../chat/access/room-participant.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { findTarget } from "../cases/find-target.ts";
import type { GivenTarget } from "../cases/given-target.schema.ts";
import { openCase } from "../cases/open-case.ts";
import type { Reason } from "../moderation.schema.ts";
import { unlistReported } from "./unlist-reported.ts";

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
  if (known === undefined) {
    await ctx.limit(ctx.caller, reporter.kind === "guest" ? "guestReport" : "report");
  }
  const report_id =
    known ??
    (await ctx.db.transaction().execute(async (tx) => {
      const opened = await openCase(tx, ctx.hub.vault, target);
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
