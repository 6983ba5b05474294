import { z } from "zod";
import { message, utcTime } from "../fields.schema.ts";
import { keyHolder, member, open, router } from "../trpc.ts";
import { apiKey, email, givenPassword, newPassword, username } from "./accounts.schema.ts";
import { login, logout, readOwnAccount, register } from "./accounts.service.ts";
import { changePassword, rotateApiKey } from "./change-credentials.service.ts";
import { tier } from "./tier.schema.ts";

const tag = "Accounts";

/** Decisions §2, GET /api/me. */
const ownAccount = z.object({
  username: z.string(),
  email: z.string(),
  wallet: z.string().nullable(),
  wallet_verified: z.boolean(),
  tier,
  pass_expires_at: utcTime.nullable(),
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
    .output(z.object({ message, api_key: apiKey }))
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
        remember: z.boolean().default(false),
      }),
    )
    .output(z.object({ message, api_key: apiKey }))
    .mutation(({ ctx, input }) => login(ctx, input)),

  logout: open
    .meta({
      rest: { method: "POST", path: "/logout", tag, summary: "End the browser session" },
    })
    .output(z.object({ message }))
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
        new_password: newPassword,
        confirm_password: givenPassword,
      }),
    )
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  rotateApiKey: keyHolder
    .meta({
      rest: {
        method: "POST",
        path: "/api-key/rotate",
        tag,
        summary: "Get a new API key",
        description: "The old key dies at once.",
      },
    })
    .output(z.object({ message, api_key: apiKey }))
    .mutation(({ ctx }) => rotateApiKey(ctx)),

  me: member
    .meta({ rest: { method: "GET", path: "/me", tag, summary: "Read your own account" } })
    .output(z.object({ user: ownAccount }))
    .query(async ({ ctx }) => ({ user: await readOwnAccount(ctx, ctx.caller.account) })),

  /** The same for a page that doesn't know whether anybody is signed in: null is no failure. */
  whoAmI: open.output(z.object({ user: ownAccount.nullable() })).query(async ({ ctx }) => ({
    user: "account" in ctx.caller ? await readOwnAccount(ctx, ctx.caller.account) : null,
  })),
});
