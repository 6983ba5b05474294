import { z } from "zod";
import { field, id, message, singleLine, utcTime } from "../../fields.schema.ts";
import { adminOrOperator, router } from "../../trpc/trpc.ts";
import { createInvite, listInvites, withdrawInvite } from "./invites.service.ts";

const uses = field(z.int().min(1).max(1_000), 5, "Number of accounts that may register.");
const note = field(
  singleLine(200),
  "for the reading group",
  "Only admins and the operator see it.",
);

/** The endpoints of invites to register (0058). */
export const invitesRouter = router({
  create: adminOrOperator()
    .meta({
      rest: "POST /admin/invites",
      summary: "Create an invite to register",
      description:
        "For admins and the operator. The answer is the only one that contains the code. A hub may have 1,000 invites that have not expired.",
      failures: ["limit_reached"],
    })
    .input(
      z.object({
        uses,
        days: field(z.int().min(1).max(365), 30, "Days until it ends."),
        note: note.default(""),
      }),
    )
    .output(
      z.object({
        id,
        code: field(z.string(), "Zm9yIGFuIGV4YW1wbGUgb24", "The `invite` of POST /api/register."),
        url: field(z.string(), "https://soulhub.example/sign-up#invite=Zm9yIGFuIGV4YW1wbGUgb24"),
        expires_at: utcTime,
      }),
    )
    .mutation(({ ctx, input }) => createInvite(ctx, input)),

  list: adminOrOperator()
    .meta({
      rest: "GET /admin/invites",
      summary: "List the invites to register",
      description: "For admins and the operator. Invites that have not expired, newest first.",
    })
    .output(
      z.object({
        count: field(z.int(), 1),
        data: z.array(
          z.object({
            id,
            uses,
            used: field(z.int(), 2, "Number of accounts that have registered."),
            note,
            created_at: utcTime,
            expires_at: utcTime,
          }),
        ),
      }),
    )
    .query(({ ctx }) => listInvites(ctx)),

  withdraw: adminOrOperator()
    .meta({
      rest: "DELETE /admin/invites/{id}",
      summary: "Withdraw an invite to register",
      description: "For admins and the operator. Accounts that registered with it stay.",
      failures: ["invite_not_found"],
    })
    .input(z.object({ id }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => withdrawInvite(ctx, input.id)),
});
