import { z } from "zod";
import { field, id, message } from "../../fields.schema.ts";
import { member, open, router } from "../../trpc/trpc.ts";
import { apiKey, givenPassword } from "../accounts.schema.ts";
import { guestRooms } from "../guests/guest-rooms.ts";
import {
  newPasskeyAnswer,
  passkeyAnswer,
  passkeyName,
  shownPasskey,
} from "../proof/passkeys.schema.ts";
import { proofFields } from "../proof/proof.ts";
import { loginWithPasskey } from "./passkey-login.service.ts";
import { addPasskey, listPasskeys, passkeyOptions, removePasskey } from "./passkeys.service.ts";

const proofFailures = ["wrong_password", "passkey_rejected", "rate_limited", "overloaded"] as const;

/** Options of WebAuthn, which a client passes on to the browser. */
const options = field(z.looseObject({ challenge: z.string() }), {
  challenge: "4mUzTLZ8cdSxVwGM3YIWy2hZx8Y4y4cRb1Yd4c3m1dM",
});

/** Passkeys (0060). */
export const passkeysRouter = router({
  passkeyOptions: open("main")
    .meta({
      rest: "POST /passkeys/options",
      whileSuspended: true,
      summary: "Begin to add or to use a passkey",
      description:
        "The options for `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. Their challenge works once, for five minutes. `add` needs a session or the main key; the answer to `sign-in` is also a proof. With `add`, a `password` is checked before a device makes a passkey that the hub would refuse; `POST /api/passkeys` checks the proof in any case.",
      failures: [
        "unauthenticated",
        "account_suspended",
        "too_many_passkeys",
        "wrong_password",
        "rate_limited",
        "overloaded",
      ],
    })
    .input(
      z.object({
        purpose: field(z.enum(["add", "sign-in"]), "sign-in"),
        password: givenPassword.optional().describe("With `add` only."),
      }),
    )
    .output(z.object({ options }))
    .mutation(({ ctx, input }) => passkeyOptions(ctx, input)),

  addPasskey: member("main")
    .meta({
      rest: "POST /passkeys",
      summary: "Add a passkey",
      description: "An account may have 10 passkeys.",
      failures: [...proofFailures, "too_many_passkeys"],
    })
    .input(z.object({ response: newPasskeyAnswer, name: passkeyName, ...proofFields }))
    .output(
      z.object({
        message: field(message, "The passkey “my phone” is added."),
        passkey: shownPasskey,
      }),
    )
    .mutation(({ ctx, input }) => addPasskey(ctx, input)),

  passkeys: member("main")
    .meta({ rest: "GET /passkeys", summary: "List your passkeys" })
    .output(z.object({ count: field(z.int(), 1), data: z.array(shownPasskey) }))
    .query(({ ctx }) => listPasskeys(ctx)),

  removePasskey: member("main")
    .meta({
      rest: "DELETE /passkeys/{id}",
      summary: "Remove a passkey",
      takesBody: true,
      failures: ["passkey_not_found", ...proofFailures],
    })
    .input(z.object({ id, ...proofFields }))
    .output(z.object({ message: field(message, "The passkey “my phone” is removed.") }))
    .mutation(({ ctx, input }) => removePasskey(ctx, input)),

  passkeyLogin: open("public")
    .meta({
      rest: "POST /passkey-login",
      whileSuspended: true,
      summary: "Sign in with a passkey",
      description: "Answers as `POST /api/login` does.",
      setsCookie: "With `remember: true`: the session cookie, for 30 days.",
      failures: ["passkey_rejected", "account_deleting"],
    })
    .input(
      z.object({
        response: passkeyAnswer,
        remember: field(z.boolean().default(false), true, "Set a session cookie for 30 days."),
      }),
    )
    .output(
      z.object({ message: field(message, "Welcome back, ada."), api_key: apiKey, ...guestRooms }),
    )
    .mutation(({ ctx, input }) => loginWithPasskey(ctx, input)),
});
