import { z } from "zod";
import { roomFailures } from "../../chat/access/authorize-room.ts";
import { field, id, message, utcTime } from "../../fields.schema.ts";
import { member, open, router } from "../../trpc/trpc.ts";
import { type GivenTarget, givenTargetFields, namesTarget } from "../cases/given-target.schema.ts";
import { note, reason, target } from "../moderation.schema.ts";
import { pageFields, pageOf } from "../paging.ts";
import { listOwnReports } from "./own-reports.service.ts";
import { report } from "./report.service.ts";

/** Reports to the hub's staff (0062). */
export const reportsRouter = router({
  report: open("main")
    .meta({
      rest: "POST /reports",
      summary: "Report a soul, a message, a person or a room",
      description:
        "The hub's staff read the reported text as it is now, of a room its newest 5 messages, and at most 5 around a message. A message off the record is not among them, unless you report it. You may report what you may see: an account 20 times a day, and guests 3 times a day per address. The same report again returns the same `report_id`.",
      body: { kind: "soul", soul_id: 7, reason: "spam", note: "It shows my address." },
      needsVerified: true,
      failures: [...roomFailures, "message_not_found", "user_not_found"],
    })
    .input(z.object({ ...givenTargetFields, reason, note }).superRefine(namesTarget))
    .output(z.object({ message, report_id: field(id, 3) }))
    .mutation(({ ctx, input }) => report(ctx, input as typeof input & GivenTarget)),

  ownReports: member("main")
    .meta({
      rest: "GET /reports",
      summary: "List your reports and what became of them",
      description: "Newest first.",
    })
    .input(z.object(pageFields))
    .output(
      pageOf(
        z.object({
          id,
          target,
          reason,
          note: field(z.string(), "It shows my address."),
          created_at: utcTime,
          outcome: field(
            z.enum(["acted", "dismissed"]).nullable(),
            "acted",
            "Null while the staff have not decided.",
          ),
        }),
      ),
    )
    .query(({ ctx, input }) => listOwnReports(ctx, input)),
});
