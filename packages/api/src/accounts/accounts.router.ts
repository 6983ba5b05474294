import { z } from "zod";
import { message, utcTime } from "../fields.schema.ts";
import { keyHolder, member, open, router } from "../trpc.ts";
import { apiKey, email, givenPassword, newPassword, username } from "./accounts.schema.ts";
import { login, logout, readOwnAccount, register } from "./accounts.service.ts";
import { changePassword, rotateApiKey } from "./change-credentials.service.ts";
import { endOtherSessions, listSessions, showApiKey } from "./own-credentials.service.ts";
import { tier } from "./tier.schema.ts";

const tag = "Accounts";

/** Decisions §2, GET /api/me. */
const ownAccount = z.object({
  username: z.string().meta({ examples: ["ada"] }),
  email: z.string().meta({ examples: ["ada@example.org"] }),
  wallet: z
    .string()
    .nullable()
    .meta({ description: "Null until one is bound.", examples: ["ada.near"] }),
  wallet_verified: z
    .boolean()
    .meta({ description: "The chain has confirmed whose it is.", examples: [true] }),
  tier: tier.meta({ description: "The tier in effect now: an expired pass counts as `free`." }),
  pass_expires_at: utcTime.nullable().meta({
    description: "Of the last vip or pro pass, also when it has run out.",
    examples: ["2026-03-02 12:00:00"],
  }),
  joined_at: utcTime,
});

/** Specification §4.1. */
export const accountsRouter = router({
  register: open
    .meta({
      rest: {
        method: "POST",
        path: "/register",
        rateRule: "register",
        tag,
        summary: "Create an account and get its API key",
        failures: ["username_taken", "overloaded"],
      },
    })
    .input(z.object({ username, password: newPassword, email }))
    .output(z.object({ message: message.meta({ examples: ["Welcome, ada."] }), api_key: apiKey }))
    .mutation(({ ctx, input }) => register(ctx, input)),

  login: open
    .meta({
      rest: {
        method: "POST",
        path: "/login",
        tag,
        summary: "Sign in and get the API key again",
        description:
          "With `remember` the answer sets a session cookie for 30 days. Without it REST sets none.",
        setsCookie: "With `remember`: the session, for 30 days.",
        failures: ["wrong_credentials", "rate_limited", "overloaded"],
      },
    })
    .input(
      z.object({
        username: z
          .string()
          .max(254)
          .meta({ examples: ["ada"] }),
        password: givenPassword,
        remember: z
          .boolean()
          .default(false)
          .meta({ description: "Set a session cookie for 30 days.", examples: [true] }),
      }),
    )
    .output(
      z.object({ message: message.meta({ examples: ["Welcome back, ada."] }), api_key: apiKey }),
    )
    .mutation(({ ctx, input }) => login(ctx, input)),

  logout: open
    .meta({
      rest: {
        method: "POST",
        path: "/logout",
        tag,
        summary: "End the browser session",
        description: "Harmless without one.",
        setsCookie: "Clears the session.",
      },
    })
    .output(z.object({ message: message.meta({ examples: ["You are signed out."] }) }))
    .mutation(({ ctx }) => logout(ctx)),

  changePassword: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/change-password",
        tag,
        summary: "Change your password",
        description: "Ends all browser sessions; the API key stays.",
        failures: ["wrong_password", "rate_limited", "overloaded"],
      },
    })
    .input(
      z.object({
        current_password: givenPassword,
        new_password: newPassword.meta({ examples: ["a quieter battery"] }),
        confirm_password: givenPassword.meta({
          description: "The new password once more.",
          examples: ["a quieter battery"],
        }),
      }),
    )
    .output(
      z.object({
        message: message.meta({
          examples: ["The password is changed. Every browser has to sign in again."],
        }),
      }),
    )
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  rotateApiKey: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/api-key/rotate",
        tag,
        summary: "Get a new API key",
        description: "The old key dies at once. Needs no body.",
      },
    })
    .input(
      z.object({
        password: givenPassword.optional().meta({
          description: "Asked of a session alone (over tRPC); a key needs none.",
          examples: ["a quiet battery"],
        }),
      }),
    )
    .output(
      z.object({
        message: message.meta({
          examples: ["This is your new API key. The old one no longer works."],
        }),
        api_key: apiKey,
      }),
    )
    .mutation(({ ctx, input }) => rotateApiKey(ctx, input.password)),

  /** Additive, with the two below (docs/decisions/0006): what a settings page needs. */
  showApiKey: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/api-key",
        tag,
        summary: "See your API key again",
        failures: ["wrong_password", "rate_limited", "overloaded"],
      },
    })
    .input(z.object({ password: givenPassword }))
    .output(z.object({ message, api_key: apiKey }))
    .mutation(({ ctx, input }) => showApiKey(ctx, input.password)),

  sessions: member
    .meta({
      rest: {
        method: "GET",
        path: "/sessions",
        tag,
        summary: "List the browsers signed in as you",
      },
    })
    .output(
      z.object({
        sessions: z.array(
          z.object({
            created_at: utcTime,
            expires_at: utcTime,
            current: z.boolean().meta({ description: "The one that asks.", examples: [true] }),
          }),
        ),
      }),
    )
    .query(({ ctx }) => listSessions(ctx)),

  endOtherSessions: member
    .meta({
      rest: {
        method: "DELETE",
        path: "/sessions",
        tag,
        summary: "Sign out every other browser",
        description: "By a key: every browser.",
      },
    })
    .output(z.object({ message }))
    .mutation(({ ctx }) => endOtherSessions(ctx)),

  me: member
    .meta({ rest: { method: "GET", path: "/me", tag, summary: "Read your own account" } })
    .output(z.object({ user: ownAccount }))
    .query(async ({ ctx }) => ({ user: await readOwnAccount(ctx, ctx.caller.account) })),

  /** The same for a page that doesn't know whether anybody is signed in: null is no failure. */
  whoAmI: open.output(z.object({ user: ownAccount.nullable() })).query(async ({ ctx }) => ({
    user: "account" in ctx.caller ? await readOwnAccount(ctx, ctx.caller.account) : null,
  })),
});
