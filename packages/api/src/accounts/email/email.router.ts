import { z } from "zod";
import { field, message } from "../../fields.schema.ts";
import { member, open, router } from "../../trpc/trpc.ts";
import { email, givenUsername, linkToken } from "../accounts.schema.ts";
import { linkPurposes } from "../links/account-links.ts";
import { proofFields } from "../proof/proof.ts";
import { changeEmail } from "./change-email.service.ts";
import { describeLink, sendVerification, verifyEmail } from "./verify-email.service.ts";

/** The endpoints of an account's address (0059). */
export const emailRouter = router({
  sendVerification: member("main")
    .meta({
      rest: "POST /verify-email/send",
      summary: "Ask for the link that verifies your address",
      description: "3 an hour. The link works once and for 24 hours.",
      failures: ["mail_unavailable", "rate_limited"],
    })
    .output(z.object({ message }))
    .mutation(({ ctx }) => sendVerification(ctx)),

  describeLink: open("public")
    .meta({
      rest: "POST /account-link",
      whileSuspended: true,
      summary: "Read what a mailed link does",
      description: "It does not use the link, and refuses one that no longer works.",
      failures: ["token_invalid"],
    })
    .input(z.object({ token: linkToken }))
    .output(
      z.object({
        purpose: field(z.enum(linkPurposes), "verify-email"),
        username: givenUsername,
        email: field(
          z.string().nullable(),
          "ada@example.org",
          "The address that it verifies or sets.",
        ),
      }),
    )
    .mutation(({ ctx, input }) => describeLink(ctx, input.token)),

  verifyEmail: open("public")
    .meta({
      rest: "POST /verify-email",
      whileSuspended: true,
      summary: "Use a link that was mailed to an address",
      description:
        "Verifies the address, or makes it the account's. The link that takes a change back also ends all browser sessions.",
      failures: ["token_invalid"],
    })
    .input(z.object({ token: linkToken }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => verifyEmail(ctx, input.token)),

  changeEmail: member("main")
    .meta({
      rest: "POST /change-email",
      summary: "Change your address",
      description:
        "Sends a link to the new address, which changes it within 24 hours, and one to the old address, which takes the change back within 7 days. A hub without mail changes it at once. 3 an hour.",
      failures: ["wrong_password", "passkey_rejected", "rate_limited", "overloaded"],
    })
    .input(z.object({ email, ...proofFields }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => changeEmail(ctx, input)),
});
