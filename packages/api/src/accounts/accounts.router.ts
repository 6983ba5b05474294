import { z } from "zod";
import { message, utcTime } from "../fields.schema.ts";
import { member, open, router } from "../trpc.ts";
import { apiKey, email, givenPassword, newPassword, username } from "./accounts.schema.ts";
import { login, logout, readMe, register } from "./accounts.service.ts";
import { tier } from "./tier.schema.ts";

const tag = "Accounts";

/** Specification §4.1. */
export const accountsRouter = router({
  register: open
    .meta({
      rest: {
        method: "POST",
        path: "/register",
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
        failures: ["wrong_credentials", "overloaded"],
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

  me: member
    .meta({ rest: { method: "GET", path: "/me", tag, summary: "Read your own account" } })
    .output(
      z.object({
        user: z.object({
          username: z.string(),
          email: z.string(),
          tier,
          pass_expires_at: utcTime.nullable(),
          joined_at: utcTime,
        }),
      }),
    )
    .query(({ ctx }) => readMe(ctx)),
});
