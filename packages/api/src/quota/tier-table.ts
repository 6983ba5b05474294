import { z } from "zod";

const count = z.int().min(0).max(1_000_000_000);

/** What one tier may do (decisions §5). */
const tierLimits = z.strictObject({
  /** Units per UTC day. */
  daily_limit: count,
  /** Unicode characters of one message. */
  max_input_chars: count.min(1),
  allow_image: z.boolean(),
  /** Units that a deep think costs; null where the tier has none. */
  deep_think_cost: count.min(1).nullable(),
  /** Replies by the premium model per UTC day. */
  premium_limit: count,
});

/** Guests are counted twice: per session and per hashed IP. */
const tierTable = z.strictObject({
  guest: tierLimits.extend({ daily_limit_per_ip: count }),
  free: tierLimits,
  vip: tierLimits,
  pro: tierLimits,
});

export type TierTable = z.infer<typeof tierTable>;
export type TierLimits = z.infer<typeof tierLimits>;

const noExtras = { allow_image: false, deep_think_cost: null, premium_limit: 0 };

export const defaultTiers: TierTable = {
  guest: { daily_limit: 5, daily_limit_per_ip: 20, max_input_chars: 1_000, ...noExtras },
  free: { daily_limit: 20, max_input_chars: 2_000, ...noExtras },
  vip: {
    daily_limit: 200,
    max_input_chars: 8_000,
    allow_image: true,
    deep_think_cost: 5,
    premium_limit: 0,
  },
  pro: {
    daily_limit: 1_000,
    max_input_chars: 32_000,
    allow_image: true,
    deep_think_cost: 3,
    premium_limit: 50,
  },
};

/** Reads TIERS_FILE (decisions §8): the whole table, in the shape of {@link defaultTiers}. */
export const parseTierTable = (json: string): TierTable => tierTable.parse(JSON.parse(json));
