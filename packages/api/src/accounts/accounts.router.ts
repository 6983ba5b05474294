import { z } from "zod";
import { moderation } from "../caller/restriction.schema.ts";
import { role } from "../caller/role.schema.ts";
import { tier } from "../caller/tier.schema.ts";
import { field, message, utcTime } from "../fields.schema.ts";
import { keyHolder, member, open, router } from "../trpc/trpc.ts";
import {
  apiKey,
  givenPassword,
  givenUsername,
  passwordChange,
  registration,
} from "./accounts.schema.ts";
import { login, logout, readOwnAccount, register } from "./accounts.service.ts";
import { rotateApiKey, showApiKey } from "./api-key.service.ts";
import { guestRooms } from "./guests/guest-rooms.ts";
import { changePassword } from "./passwords/change-password.service.ts";
import { endOneSession, endOtherSessions, listSessions } from "./session.service.ts";

/** The caller's own account, as GET /api/me returns it (decisions §2). */
const ownAccount = z.object({
  username: field(z.string(), "ada"),
  email: field(z.string(), "ada@example.org"),
  wallet: field(z.string().nullable(), "ada.near", "Null until a wallet is bound."),
  wallet_verified: field(z.boolean(), true, "True if the chain has confirmed the wallet."),
  tier: tier.describe("The tier in effect now. An expired pass counts as `free`."),
  pass_expires_at: field(
    utcTime.nullable(),
    "2026-03-02 12:00:00",
    "Expiry of the latest pass, which may be in the past.",
  ),
  role,
  email_verified: field(z.boolean(), true, "True if a link proved that the address is yours."),
  moderation,
  joined_at: utcTime,
  passkeys: field(z.int(), 1, "The number of its passkeys."),
  deletes_at: field(
    utcTime.nullable(),
    null,
    "When the account will be deleted. Null: its owner has not asked for it.",
  ),
  unread_notices: field(z.int(), 1, "The decisions of the staff about it that it has not seen."),
  open_cases: field(z.int().optional(), 3, "For the hub's staff: the cases that wait for them."),
});

const sessionId = field(z.string().max(64), "Uq0hwFz3mS1c_b8k");

/** The account endpoints (specification §4.1). */
export const accountsRouter = router({
  register: open("public")
    .meta({
      rest: "POST /register",
      rateRule: "register",
      summary: "Create an account and get its API key",
      description: "`GET /api/hub` tells whether the hub is open, needs an invite or is closed.",
      failures: ["username_taken", "overloaded", "registration_closed", "invite_invalid"],
    })
    .input(registration)
    .output(z.object({ message: field(message, "Welcome, ada."), api_key: apiKey, ...guestRooms }))
    .mutation(({ ctx, input }) => register(ctx, input)),

  login: open("public")
    .meta({
      rest: "POST /login",
      whileSuspended: true,
      summary: "Sign in and get the API key again",
      description:
        "With `remember: true` the response sets a session cookie for 30 days. Otherwise it sets none.",
      setsCookie: "With `remember: true`: the session cookie, for 30 days.",
      failures: ["wrong_credentials", "account_deleting", "rate_limited", "overloaded"],
    })
    .input(
      z.object({
        username: givenUsername,
        password: givenPassword,
        remember: field(z.boolean().default(false), true, "Set a session cookie for 30 days."),
      }),
    )
    .output(
      z.object({ message: field(message, "Welcome back, ada."), api_key: apiKey, ...guestRooms }),
    )
    .mutation(({ ctx, input }) => login(ctx, input)),

  logout: open("public")
    .meta({
      rest: "POST /logout",
      whileSuspended: true,
      summary: "End the browser session",
      description: "Succeeds without a session too.",
      setsCookie: "Clears the session cookie, and replaces `soulhub_guest`.",
    })
    .output(z.object({ message: field(message, "You are signed out.") }))
    .mutation(({ ctx }) => logout(ctx)),

  changePassword: keyHolder("main")
    .meta({
      rest: "POST /change-password",
      summary: "Change your password",
      description:
        "Ends all browser sessions. The API keys stay valid, unless `revoke_keys` replaces the main key and revokes every named one.",
      failures: ["wrong_password", "rate_limited", "overloaded"],
    })
    .input(passwordChange)
    .output(
      z.object({
        message: field(message, "The password is changed. Every browser has to sign in again."),
        api_key: apiKey.optional().describe("With `revoke_keys`: the new main key."),
      }),
    )
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  rotateApiKey: keyHolder("main")
    .meta({
      rest: "POST /api-key/rotate",
      summary: "Get a new API key",
      description: "The old key stops working at once. The body may be empty.",
    })
    .input(
      z.object({
        password: field(
          givenPassword.optional(),
          "a quiet battery",
          "Required with a session (tRPC); ignored with an API key.",
        ),
      }),
    )
    .output(
      z.object({
        message: field(message, "This is your new API key. The old one no longer works."),
        api_key: apiKey,
      }),
    )
    .mutation(({ ctx, input }) => rotateApiKey(ctx, input.password)),

  /**
   * The specification lacks `showApiKey`, `sessions` and `endOtherSessions`; the settings page
   * needs them (0006).
   */
  showApiKey: keyHolder("main")
    .meta({
      rest: "POST /api-key",
      summary: "See your API key again",
      failures: ["wrong_password", "rate_limited", "overloaded"],
    })
    .input(z.object({ password: givenPassword }))
    .output(z.object({ message, api_key: apiKey }))
    .mutation(({ ctx, input }) => showApiKey(ctx, input.password)),

  sessions: member("main")
    .meta({
      rest: "GET /sessions",
      summary: "List the browsers signed in as you",
    })
    .output(
      z.object({
        sessions: z.array(
          z.object({
            id: sessionId,
            label: field(z.string().nullable(), "Firefox on Linux", "Null if it is unknown."),
            last_used_at: utcTime.nullable().describe("Exact to the hour."),
            created_at: utcTime,
            expires_at: utcTime,
            current: field(z.boolean(), true, "True for the session of this request."),
          }),
        ),
      }),
    )
    .query(({ ctx }) => listSessions(ctx)),

  endOtherSessions: member("main")
    .meta({
      rest: "DELETE /sessions",
      summary: "Sign out every other browser",
      description: "With an API key: signs out every browser.",
    })
    .output(z.object({ message }))
    .mutation(({ ctx }) => endOtherSessions(ctx)),

  endSession: member("main")
    .meta({
      rest: "DELETE /sessions/{id}",
      summary: "Sign out one browser",
      description: "What it listens to ends at once.",
      setsCookie:
        "For the session of this request: clears the session cookie, and replaces `soulhub_guest`.",
      failures: ["session_not_found"],
    })
    .input(z.object({ id: sessionId }))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => endOneSession(ctx, input.id)),

  me: member("account:read")
    .meta({
      rest: "GET /me",
      whileSuspended: true,
      summary: "Read your own account",
    })
    .output(z.object({ user: ownAccount }))
    .query(async ({ ctx }) => ({ user: await readOwnAccount(ctx, ctx.caller.account) })),

  /**
   * Returns the caller's own account for a page. Without an account `user` is null, while `me`
   * fails.
   */
  whoAmI: open("account:read")
    .meta({ whileSuspended: true })
    .output(z.object({ user: ownAccount.nullable() }))
    .query(async ({ ctx }) => ({
      user: "account" in ctx.caller ? await readOwnAccount(ctx, ctx.caller.account) : null,
    })),
});
