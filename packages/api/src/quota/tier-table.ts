import { z } from "zod";

declare module "../context.ts" {
  interface HubConfig {
    tiers: TierTable;
  }
}

const count = z.int().min(0).max(1_000_000_000);

/** Chat limits of one tier (decisions §5, Tiers). */
const tierLimits = z.strictObject({
  /** Quota units per UTC day. */
  daily_limit: count,
  /** Maximum length of a message in Unicode code points. */
  max_input_chars: count.min(1),
  allow_image: z.boolean(),
  /** Quota units per message with deep think; null if the tier does not allow deep think. */
  deep_think_cost: count.min(1).nullable(),
  /** Maximum number of replies by the premium model per UTC day. */
  premium_limit: count,
});

/**
 * The limits of all tiers. Each guest has two counters: one per session, one per hashed address.
 */
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

/**
 * Parses the content of TIERS_FILE (decisions §8), a complete table like {@link defaultTiers}.
 * @throws ZodError or SyntaxError
 */
export const parseTierTable = (json: string): TierTable => tierTable.parse(JSON.parse(json));
