import { z } from "zod";
import { tier } from "../accounts/tier.schema.ts";
import { utcTime } from "../fields.schema.ts";

/** Specification §2, Quota object: what both shapes hold. `resets_at` is additive. */
const shared = {
  tier,
  daily_limit: z.int().meta({ description: "Units per UTC day.", examples: [200] }),
  daily_remaining: z.int().meta({ examples: [187] }),
  deep_think_available: z
    .boolean()
    .meta({ description: "The tier has it and enough is left.", examples: [true] }),
  deep_think_cost: z.int().meta({ description: "0 when unavailable.", examples: [5] }),
  resets_at: utcTime.meta({ examples: ["2026-02-01 00:00:00"] }),
};

/** In the answer of POST /api/chat. */
export const replyQuota = z.object(shared);

/** In the answer of GET /api/chat-quota. */
export const chatQuota = z.object({
  ...shared,
  daily_count: z.int().meta({ description: "Units taken today.", examples: [13] }),
  premium_remaining: z
    .int()
    .meta({ description: "Replies left by the premium model (pro).", examples: [0] }),
  premium_limit: z.int().meta({ examples: [0] }),
  allow_image: z.boolean().meta({ examples: [true] }),
  max_input_chars: z
    .int()
    .meta({ description: "Characters that one message may have.", examples: [8_000] }),
});
