import { z } from "zod";
import { givenUsername } from "../accounts/accounts.schema.ts";
import { tier } from "../caller/tier.schema.ts";
import { field, message, utcTime } from "../fields.schema.ts";
import { admin, router } from "../trpc/trpc.ts";
import { grantPass, readPass } from "./passes.service.ts";
import { chatQuota, passGrant } from "./quota.schema.ts";

/** The operator's endpoints for passes (decisions §5, Passes). */
export const passesRouter = router({
  read: admin
    .meta({
      rest: "GET /admin/pass",
      summary: "Read the pass and quota of an account",
      description: "Requires ADMIN_TOKEN as Bearer; any other credential is 404.",
      failures: ["user_not_found"],
    })
    .input(z.object({ username: givenUsername }))
    .output(
      z.object({
        username: givenUsername,
        tier: tier.describe("The granted tier."),
        effective_tier: tier.describe("The tier in effect: `free` after expiry."),
        expires_at: field(utcTime.nullable(), "2026-03-02 12:00:00"),
        quota: chatQuota,
      }),
    )
    .query(({ ctx, input }) => readPass(ctx, input.username)),

  grant: admin
    .meta({
      rest: "POST /admin/pass",
      summary: "Grant, renew or revoke a pass",
      description:
        "Requires ADMIN_TOKEN as Bearer; any other credential is 404. Send `days`, counted from now, or `expires_at`. Tier `free` revokes the pass.",
      body: { username: "ada", tier: "vip", days: 30 },
      failures: ["user_not_found"],
    })
    .input(passGrant)
    .output(
      z.object({
        message: field(message, "ada is vip until 2026-03-02 12:00:00 UTC."),
        tier,
        expires_at: field(utcTime.nullable(), "2026-03-02 12:00:00", "Null for tier `free`."),
      }),
    )
    .mutation(({ ctx, input }) => grantPass(ctx, input)),
});
