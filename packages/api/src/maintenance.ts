import { HubError } from "./errors.ts";

declare module "./context.ts" {
  interface Hub {
    maintenance: Maintenance;
  }
}

/** Seconds after which a refused caller may try again. */
export const RETRY_AFTER_S = 15;

/** Refuses writes while the hub's data moves to another database. Reads and listeners go on. */
export class Maintenance {
  #isOn = false;
  #writes = 0;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** The number of writes that began before the maintenance and still run. */
  get runningWrites(): number {
    return this.#writes;
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): void {
    this.#isOn = false;
  }

  /**
   * Runs a write.
   * @throws HubError `maintenance` during maintenance
   */
  async write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOn) throw new HubError("maintenance", { retryAfter: RETRY_AFTER_S });
    this.#writes++;
    try {
      return await work();
    } finally {
      this.#writes--;
    }
  }
}
