import { z } from "zod";
import { field, id, utcTime } from "../fields.schema.ts";
import { adminOrOperator, router } from "../trpc/trpc.ts";
import { listAudit } from "./list-audit.ts";

const hash = (description: string) =>
  field(
    z.string(),
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    description,
  );
const name = field(z.string().nullable(), "ada", "The present username, if it is an account.");

const auditRow = z.object({
  id,
  at: utcTime,
  actor: field(z.string(), "account:7", "`operator`, `hub`, `account:<id>` or `deleted:<id>`."),
  actor_name: name,
  action: field(z.string(), "set-role"),
  target: field(z.string(), "account:8", "The kind and the id of what the action changed."),
  target_name: name,
  detail: field(z.string(), '{"from":"member","to":"moderator"}', "JSON, as the hash covers it."),
  previous_hash: hash("The hash of the row before; zeros in the first row."),
  hash: hash("The SHA-256 of this row and the hash before."),
});

/** The endpoint that reads the audit log (0057). */
export const auditRouter = router({
  list: adminOrOperator()
    .meta({
      rest: "GET /admin/audit",
      summary: "Read the audit log",
      description:
        "For admins and the operator. Actions of the staff, the operator and the hub itself, newest first. `next_cursor` is the `before_id` of the next page.",
      failures: ["user_not_found"],
    })
    .input(
      z.object({
        actor: field(
          z.string().max(254).optional(),
          "operator",
          "`operator`, `hub`, `account:<id>`, `deleted:<id>` or a username.",
        ),
        action: field(z.string().max(100).optional(), "set-role"),
        before_id: id.optional(),
        limit: field(z.int().min(1).max(500).default(100), 100),
      }),
    )
    .output(
      z.object({ count: field(z.int(), 1), data: z.array(auditRow), next_cursor: id.optional() }),
    )
    .query(({ ctx, input }) => listAudit(ctx, input)),
});
