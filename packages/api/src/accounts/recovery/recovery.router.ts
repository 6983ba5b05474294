import { z } from "zod";
import { field, message, utcTime } from "../../fields.schema.ts";
import { admin, open, router } from "../../trpc/trpc.ts";
import { givenUsername, passwordReset } from "../accounts.schema.ts";
import { forgotPassword, makeResetLink } from "./forgot-password.service.ts";
import { resetPassword } from "./reset-password.service.ts";

/** The endpoints of a forgotten password (0059). */
export const recoveryRouter = router({
  forgotPassword: open("public")
    .meta({
      rest: "POST /forgot-password",
      rateRule: "forgotPassword",
      whileSuspended: true,
      summary: "Ask for a link to a new password",
      description:
        "The answer is the same whether or not the account exists. The link works once and for 60 minutes. An account gets 3 links an hour.",
      failures: ["mail_unavailable"],
    })
    .input(
      z.object({
        login: field(z.string().min(1).max(254), "ada", "A username, or the address of accounts."),
      }),
    )
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => forgotPassword(ctx, input.login)),

  resetPassword: open("public")
    .meta({
      rest: "POST /reset-password",
      whileSuspended: true,
      summary: "Set a new password with a link",
      description: "Ends all browser sessions and the other links of the account.",
      failures: ["token_invalid", "overloaded"],
    })
    .input(passwordReset)
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => resetPassword(ctx, input)),

  makeResetLink: admin
    .meta({
      rest: "POST /admin/reset-link",
      summary: "Make a link to a new password",
      description:
        "Requires ADMIN_TOKEN as Bearer; any other credential is 404. Earlier links of the account stop working.",
      failures: ["user_not_found"],
    })
    .input(
      z.object({
        username: givenUsername,
        hours: field(z.int().min(1).max(168).default(24), 24, "Hours that the link works."),
      }),
    )
    .output(
      z.object({
        url: field(z.string(), "https://soulhub.example/reset-password#cmVzZXQgbGluaw"),
        expires_at: utcTime,
      }),
    )
    .mutation(({ ctx, input }) => makeResetLink(ctx, input)),
});
