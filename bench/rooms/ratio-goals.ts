import { HUB } from "./contenders.ts";
import type { Verdict } from "./row.ts";

export interface RatioGoal {
  /** The contender that the hub is compared with. */
  contender: string;
  atLeast?: number;
  atMost?: number;
}

/**
 * Divides the hub's measured value by that of each contender with a goal, and compares the ratio
 * with the goal.
 */
export const judgeRatios = (medians: Map<string, number>, goals: RatioGoal[]): Verdict[] =>
  goals.map(({ contender, atLeast = 0, atMost = Number.POSITIVE_INFINITY }) => {
    const ratio = (medians.get(HUB) ?? Number.NaN) / (medians.get(contender) ?? Number.NaN);
    const limit = atLeast > 0 ? `≥ ${atLeast.toFixed(2)}` : `≤ ${atMost.toFixed(2)}`;
    return {
      goal: `${limit} × ${contender}`,
      measured: `${ratio.toFixed(2)} ×`,
      isReached: ratio >= atLeast && ratio <= atMost,
    };
  });
