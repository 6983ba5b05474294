/**
 * Counters per address block, for example of connections. A block whose count is 0 takes no memory.
 */
export class AddressCounts {
  readonly #counts = new Map<string, number>();

  of(block: string): number {
    return this.#counts.get(block) ?? 0;
  }

  /**
   * Adds an amount to the count of an address block.
   * @param amount may be negative
   */
  add(block: string, amount: number): void {
    const count = this.of(block) + amount;
    if (count > 0) this.#counts.set(block, count);
    else this.#counts.delete(block);
  }
}
