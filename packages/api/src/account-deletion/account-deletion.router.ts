import { z } from "zod";
import { givenPassword, givenUsername } from "../accounts/accounts.schema.ts";
import { proofFields } from "../accounts/proof/proof.ts";
import { field, message, utcTime } from "../fields.schema.ts";
import { member, open, router } from "../trpc/trpc.ts";
import { requestDeletion, undoDeletion } from "./account-deletion.service.ts";

/** Deletion of an account, and its undo (0063). */
export const accountDeletionRouter = router({
  request: member("main")
    .meta({
      rest: "POST /delete-account",
      whileSuspended: true,
      summary: "Delete your account",
      description:
        "Your keys, sessions, souls and rooms close at once. POST /api/undo-deletion opens them again until `deletes_at`. Then souls, private rooms, likes and ratings are deleted, and your lines in rooms of others name nobody.",
      setsCookie: "Clears the session cookie.",
      failures: ["wrong_password", "passkey_rejected", "rate_limited", "overloaded"],
    })
    .input(
      z.object({
        ...proofFields,
        souls: field(
          z.enum(["delete", "keep"]),
          "delete",
          "`keep`: your public souls stay, as souls of `ghost`.",
        ),
        messages: field(
          z.enum(["anonymise", "erase"]),
          "anonymise",
          "What happens to your lines in rooms of others. `erase`: their texts are removed as well.",
        ),
      }),
    )
    .output(z.object({ message, deletes_at: utcTime }))
    .mutation(({ ctx, input }) => requestDeletion(ctx, input)),

  undo: open("public")
    .meta({
      rest: "POST /undo-deletion",
      whileSuspended: true,
      summary: "Keep an account that will be deleted",
      failures: ["wrong_credentials", "rate_limited", "overloaded"],
    })
    .input(z.object({ username: givenUsername, password: givenPassword }))
    .output(z.object({ message: field(message, "Your account stays. You can sign in again.") }))
    .mutation(({ ctx, input }) => undoDeletion(ctx, input)),
});
