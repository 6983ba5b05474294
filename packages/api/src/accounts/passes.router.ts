import { z } from "zod";
import { message, utcTime } from "../fields.schema.ts";
import { admin, router } from "../trpc.ts";
import { grantPass } from "./passes.service.ts";
import { tier } from "./tier.schema.ts";

const MAX_DAYS = 36_500;

/** `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601 (decisions §2). */
const givenTime = z
  .string()
  .max(40)
  .transform((text, refinement) => {
    const utc = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
    const day = /^\d{4}-\d\d-\d\d(?=T|$)/.exec(utc)?.[0];
    const time = new Date(utc);
    const year = time.getUTCFullYear();
    // Date takes 30 February for 2 March; PostgreSQL knows no year 0.
    if (day && isDay(day) && year >= 1 && year <= 9_999) return time.toISOString();
    refinement.addIssue("must be a time, YYYY-MM-DD HH:MM:SS in UTC or ISO 8601");
    return z.NEVER;
  })
  .meta({ examples: ["2027-01-31 12:00:00"] });

function isDay(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** For the operator (decisions §5, Passes). */
export const passesRouter = router({
  grant: admin
    .meta({
      rest: {
        method: "POST",
        path: "/admin/pass",
        tag: "Operator",
        summary: "Grant, renew or revoke a pass",
        description:
          "Needs the operator's ADMIN_TOKEN as Bearer; for everybody else this address does not exist. Give `days` or `expires_at`; tier `free` revokes.",
        failures: ["user_not_found"],
      },
    })
    .input(
      z
        .object({
          username: z.string().max(254),
          tier,
          days: z.int().min(1).max(MAX_DAYS).optional(),
          expires_at: givenTime.optional(),
        })
        .refine(
          ({ tier: granted, days, expires_at }) =>
            granted === "free" || (days === undefined) !== (expires_at === undefined),
          { path: ["days"], message: "give either days or expires_at" },
        ),
    )
    .output(z.object({ message, tier, expires_at: utcTime.nullable() }))
    .mutation(({ ctx, input }) => grantPass(ctx, input)),
});
