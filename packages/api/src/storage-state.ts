declare module "./context.ts" {
  interface Hub {
    storage: StorageState;
  }
}

const RETRY_MS = 5_000;

/**
 * Tracks whether the database's disk is full. After a write that found no space, the hub refuses
 * further writes before they begin. Otherwise it would call a model for a reply that it cannot
 * store. The hub lets one write through every five seconds. The first such write that succeeds ends
 * the refusals.
 */
export class StorageState {
  #isFull = false;
  #retryAt = 0;

  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Reports whether a write may begin. While the disk is full, one write may begin every five
   * seconds.
   */
  mayWrite(): boolean {
    if (!this.#isFull) return true;
    if (performance.now() < this.#retryAt) return false;
    this.#retryAt = performance.now() + RETRY_MS;
    return true;
  }

  /**
   * Records the result of a write.
   * @param foundSpace false if the write failed because the disk was full
   */
  wrote(foundSpace: boolean): void {
    this.#isFull = !foundSpace;
    if (!foundSpace) this.#retryAt = performance.now() + RETRY_MS;
  }
}
