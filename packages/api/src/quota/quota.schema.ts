import { z } from "zod";
import { tier } from "../accounts/tier.schema.ts";
import { utcTime } from "../fields.schema.ts";

/** Specification §2, Quota object: what both shapes hold. `resets_at` is additive. */
const shared = {
  tier,
  daily_limit: z.int(),
  daily_remaining: z.int(),
  deep_think_available: z.boolean(),
  deep_think_cost: z.int().meta({ description: "0 when unavailable." }),
  resets_at: utcTime,
};

/** In the answer of POST /api/chat. */
export const replyQuota = z.object(shared);

/** In the answer of GET /api/chat-quota. */
export const chatQuota = z.object({
  ...shared,
  daily_count: z.int(),
  premium_remaining: z.int().meta({ description: "Replies left by the premium model (pro)." }),
  premium_limit: z.int(),
  allow_image: z.boolean(),
  max_input_chars: z.int(),
});
