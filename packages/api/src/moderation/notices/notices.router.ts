import { z } from "zod";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { member, router } from "../../trpc/trpc.ts";
import { action, appeal, appealText, reason, target } from "../moderation.schema.ts";
import { pageFields, pageOf } from "../paging.ts";
import { appealDecision, listNotices, seeNotices } from "./notices.service.ts";

/** What the staff decided about the caller, and the caller's answer (0062). */
export const noticesRouter = router({
  notices: member("main")
    .meta({
      rest: "GET /notices",
      whileSuspended: true,
      summary: "List what the staff decided about you",
      description: "Newest first, or the one of a decision.",
    })
    .input(
      z.object({
        decision_id: field(id.optional(), 5, "Only the notice of this decision."),
        cursor: pageFields.cursor,
        limit: field(z.int().min(1).max(100).default(100), 100),
      }),
    )
    .output(
      pageOf(
        z.object({
          decision_id: field(id, 5),
          action,
          reason,
          message: field(z.string(), "Please take the address out."),
          target,
          created_at: utcTime,
          until: field(utcTime.nullable(), null, "The end of a suspension or silence."),
          undone_at: field(utcTime.nullable(), null, "When the staff took the decision back."),
          appeal_until: utcTime,
          appeal: appeal.nullable(),
        }),
      ),
    )
    .query(({ ctx, input }) => listNotices(ctx, input)),

  seeNotices: member("main")
    .meta({
      rest: "PUT /notices",
      whileSuspended: true,
      summary: "Mark the notices as seen",
      description: "Up to a decision. The record never goes back.",
    })
    .input(z.object({ seen_to: field(id, 5, "The `decision_id` of the newest one seen.") }))
    .output(z.object({ message: field(message, "The notices are marked as seen.") }))
    .mutation(({ ctx, input }) => seeNotices(ctx, input.seen_to)),

  appeal: member("main")
    .meta({
      rest: "POST /appeals",
      whileSuspended: true,
      summary: "Appeal against a decision about you",
      description:
        "Once for each decision in effect, within 30 days. Somebody else of the staff decides, where there is somebody else.",
      failures: ["case_not_found", "already_appealed"],
    })
    .input(z.object({ decision_id: field(id, 5), text: appealText }))
    .output(z.object({ message: field(message, "Your appeal is with the staff.") }))
    .mutation(({ ctx, input }) => appealDecision(ctx, input)),
});
