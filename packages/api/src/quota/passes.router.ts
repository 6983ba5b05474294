import { z } from "zod";
import { tier } from "../accounts/tier.schema.ts";
import { message, utcTime } from "../fields.schema.ts";
import { admin, router } from "../trpc.ts";
import { grantPass, readPass } from "./passes.service.ts";
import { chatQuota } from "./quota.schema.ts";

const MAX_DAYS = 36_500;
const username = z
  .string()
  .max(254)
  .meta({ examples: ["ada"] });

/** `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601 (decisions §2). */
const givenTime = z
  .string()
  .max(40)
  .meta({
    description: "`YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601. A past time is an expired pass.",
    examples: ["2027-01-31 12:00:00"],
  })
  .transform((text, refinement) => {
    const utc = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
    const day = /^\d{4}-\d\d-\d\d(?=T|$)/.exec(utc)?.[0];
    const time = new Date(utc);
    const year = time.getUTCFullYear();
    // Date takes 30 February for 2 March; PostgreSQL knows no year 0.
    if (day && isDay(day) && year >= 1 && year <= 9_999) return time.toISOString();
    refinement.addIssue("must be a time, YYYY-MM-DD HH:MM:SS in UTC or ISO 8601");
    return z.NEVER;
  });

function isDay(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** For the operator (decisions §5, Passes). */
export const passesRouter = router({
  read: admin
    .meta({
      rest: {
        method: "GET",
        path: "/admin/pass",
        tag: "Operator",
        summary: "Read an account's pass and what it has used today",
        description:
          "Needs the operator's ADMIN_TOKEN as Bearer; for everybody else this address does not exist.",
        failures: ["user_not_found"],
      },
    })
    .input(z.object({ username }))
    .output(
      z.object({
        username,
        tier: tier.meta({ description: "As granted." }),
        effective_tier: tier.meta({ description: "What it counts as now: free once expired." }),
        expires_at: utcTime.nullable().meta({ examples: ["2026-03-02 12:00:00"] }),
        quota: chatQuota,
      }),
    )
    .query(({ ctx, input }) => readPass(ctx, input.username)),

  grant: admin
    .meta({
      rest: {
        method: "POST",
        path: "/admin/pass",
        tag: "Operator",
        summary: "Grant, renew or revoke a pass",
        description:
          "Needs the operator's ADMIN_TOKEN as Bearer; for everybody else this address does not exist. Give `days`, counted from now, or `expires_at`; tier `free` revokes.",
        body: { username: "ada", tier: "vip", days: 30 },
        failures: ["user_not_found"],
      },
    })
    .input(
      z
        .object({
          username,
          tier,
          days: z
            .int()
            .min(1)
            .max(MAX_DAYS)
            .optional()
            .meta({ description: "From now on. Either this or `expires_at`.", examples: [30] }),
          expires_at: givenTime.optional(),
        })
        .refine(
          ({ tier: granted, days, expires_at }) =>
            granted === "free" || (days === undefined) !== (expires_at === undefined),
          { path: ["days"], message: "give either days or expires_at" },
        ),
    )
    .output(
      z.object({
        message: message.meta({ examples: ["ada is vip until 2026-03-02 12:00:00 UTC."] }),
        tier,
        expires_at: utcTime
          .nullable()
          .meta({ description: "Null for tier `free`.", examples: ["2026-03-02 12:00:00"] }),
      }),
    )
    .mutation(({ ctx, input }) => grantPass(ctx, input)),
});
