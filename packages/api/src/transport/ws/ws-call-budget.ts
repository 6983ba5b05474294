import { AddressCounts } from "../address-counts.ts";

/** Counts the ticks of a timer. A process that cannot keep up counts fewer ticks. */
export interface TickClock {
  readonly ticks: number;
}

export interface BudgetRule {
  /** Number of calls that a full budget allows at once. */
  burst: number;
  /** Number of calls that each tick adds to the budget. */
  perTick: number;
}

/**
 * A frame counts as one call per this many bytes, because parsing a large input takes time, too.
 */
const BYTES_PER_CALL = 2_048;

export const callsInBytes = (bytes: number): number =>
  Math.max(1, Math.ceil(bytes / BYTES_PER_CALL));

/**
 * A token bucket for calls, refilled by ticks rather than by time. While the hub is overloaded, a
 * refill by time would allow more calls than the hub can answer.
 */
export class CallBudget {
  readonly #clock: TickClock;
  readonly #rule: BudgetRule;
  #left: number;
  #refilledAt: number;

  constructor(clock: TickClock, rule: BudgetRule) {
    this.#clock = clock;
    this.#rule = rule;
    this.#left = rule.burst;
    this.#refilledAt = clock.ticks;
  }

  get isSpent(): boolean {
    return this.#refill() <= 0;
  }

  get isFull(): boolean {
    return this.#refill() >= this.#rule.burst;
  }

  /** Subtracts calls from the budget. The last frame of a burst may make the budget negative. */
  spend(calls: number): void {
    this.#left = this.#refill() - calls;
  }

  #refill(): number {
    const { burst, perTick } = this.#rule;
    const { ticks } = this.#clock;
    this.#left = Math.min(burst, this.#left + (ticks - this.#refilledAt) * perTick);
    this.#refilledAt = ticks;
    return this.#left;
  }
}

/**
 * The call budgets of addresses. All sockets of an address share one budget. After the last socket
 * closes, the map keeps a spent budget until the budget is full again.
 */
export class AddressBudgets {
  readonly #budgets = new Map<string, CallBudget>();
  readonly #holders = new AddressCounts();
  readonly #clock: TickClock;
  readonly #rule: BudgetRule;

  constructor(clock: TickClock, rule: BudgetRule) {
    this.#clock = clock;
    this.#rule = rule;
  }

  /** Returns the budget of the address for a new socket. Call `release` when the socket closes. */
  hold(block: string): CallBudget {
    this.#holders.add(block, 1);
    const known = this.#budgets.get(block);
    if (known) return known;
    const budget = new CallBudget(this.#clock, this.#rule);
    this.#budgets.set(block, budget);
    return budget;
  }

  release(block: string): void {
    this.#holders.add(block, -1);
  }

  isSpent(block: string): boolean {
    return this.#budgets.get(block)?.isSpent ?? false;
  }

  /**
   * Deletes the budgets that are full and whose address has no socket. The map keeps a
   * budget in use, because a later socket of the address shares it.
   */
  sweep(): void {
    for (const [block, budget] of this.#budgets) {
      if (this.#holders.of(block) === 0 && budget.isFull) this.#budgets.delete(block);
    }
  }
}
