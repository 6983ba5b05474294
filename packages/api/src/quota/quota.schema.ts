import { z } from "zod";
import { givenUsername } from "../accounts/accounts.schema.ts";
import { tier } from "../caller/tier.schema.ts";
import { field, givenTime, utcTime } from "../fields.schema.ts";

/**
 * Fields of both quota objects (specification §2, Quota object). Only `resets_at` is not in the
 * specification.
 */
const shared = {
  tier,
  daily_limit: field(z.int(), 200, "Units per UTC day."),
  daily_remaining: field(z.int(), 187),
  deep_think_available: field(
    z.boolean(),
    true,
    "True if the tier allows it and enough units remain.",
  ),
  deep_think_cost: field(z.int(), 5, "0 when unavailable."),
  resets_at: field(utcTime, "2026-02-01 00:00:00"),
};

/** Quota in the response of POST /api/chat. */
export const replyQuota = z.object(shared);

/** Quota in the response of GET /api/chat-quota. */
export const chatQuota = z.object({
  ...shared,
  daily_count: field(z.int(), 13, "Units used today."),
  premium_remaining: field(z.int(), 0, "Remaining replies by the premium model (pro)."),
  premium_limit: field(z.int(), 0),
  allow_image: field(z.boolean(), true),
  max_input_chars: field(z.int(), 8_000, "Maximum length of a message in characters."),
});
chatQuota.register(z.globalRegistry, { id: "Quota" });

const MAX_DAYS = 36_500;

/** The input of POST /api/admin/pass. */
export const passGrant = z
  .object({
    username: givenUsername,
    tier,
    days: field(
      z.int().min(1).max(MAX_DAYS).optional(),
      30,
      "Duration from now. Send either this or `expires_at`.",
    ),
    expires_at: givenTime("A past time gives an expired pass.").optional(),
  })
  .refine(
    ({ tier: granted, days, expires_at }) =>
      granted === "free" || (days === undefined) !== (expires_at === undefined),
    { path: ["days"], message: "send either days or expires_at" },
  );
export type PassGrant = z.infer<typeof passGrant>;
