import { z } from "zod";
import { givenUsername } from "../../accounts/accounts.schema.ts";
import { field, id, message } from "../../fields.schema.ts";
import { admin, router } from "../../trpc/trpc.ts";
import { days, messageToAuthor, reason } from "../moderation.schema.ts";
import { hideByOperator, suspendByOperator } from "./operator.service.ts";

const why = {
  reason: reason.default("other"),
  message_to_author: messageToAuthor.default("The operator of this hub has decided this."),
};
const done = z.object({ message: field(message, "Soul 1 is hidden.") });

/** The operator's own decisions, for a hub without staff (0062). */
export const moderationByOperatorRouter = router({
  hide: admin
    .meta({
      rest: "POST /admin/hide",
      summary: "Hide a soul, or show it again",
      description:
        "Requires ADMIN_TOKEN as Bearer; any other credential is 404. With `hidden: false`, all decisions that hide the soul are taken back, and nothing else.",
      failures: ["soul_not_found", "case_not_found"],
    })
    .input(z.object({ soul_id: id, hidden: field(z.boolean().default(true), true), ...why }))
    .output(done)
    .mutation(({ ctx, input: { message_to_author, ...input } }) =>
      hideByOperator(ctx, { ...input, message: message_to_author }),
    ),

  suspend: admin
    .meta({
      rest: "POST /admin/suspend",
      summary: "Suspend an account, or lift its suspension",
      description:
        "Requires ADMIN_TOKEN as Bearer; any other credential is 404. With `suspended: false`, all decisions that suspend the account are taken back, and nothing else.",
      failures: ["user_not_found", "case_not_found"],
    })
    .input(
      z.object({
        username: givenUsername,
        suspended: field(z.boolean().default(true), true),
        days: days.default(null),
        ...why,
      }),
    )
    .output(done)
    .mutation(({ ctx, input: { message_to_author, ...input } }) =>
      suspendByOperator(ctx, { ...input, message: message_to_author }),
    ),
});
