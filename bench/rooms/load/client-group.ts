import { nowUs } from "../peers/peer-protocol.ts";
import { type Dialect, dialects } from "./dialects.ts";
import type { LoadOrder } from "./load-protocol.ts";
import { RoomClient } from "./room-client.ts";

/** The longest time in which all expected events arrive. */
const RECEIVE_MS = 20_000;

/** The clients that the load generator connects to one server. */
export class ClientGroup {
  readonly failures: string[] = [];
  readonly #clients: RoomClient[] = [];
  /** The number of events that all clients together have not received yet. */
  #missing = 0;
  #latenciesUs = new Float64Array(0);
  #onWhole: (() => void) | undefined;

  /**
   * Connects all clients.
   * @returns the duration of each connect, in microseconds
   */
  async connect(order: LoadOrder & { order: "connect" }): Promise<Float64Array> {
    const took = new Float64Array(order.connections);
    let next = 0;
    const lane = async () => {
      while (next < order.connections) {
        const nth = next++;
        const start = nowUs();
        await this.#enter(order, nth);
        took[nth] = nowUs() - start;
      }
    };
    await Promise.all(Array.from({ length: order.concurrency }, lane));
    return took;
  }

  #enter(order: LoadOrder & { order: "connect" }, nth: number): Promise<void> {
    const { port, soulId, roomPrefix, roomSize } = order;
    const dialect: Dialect = dialects[order.dialect];
    return new Promise((resolve) => {
      const client = new RoomClient({
        port,
        soulId,
        dialect,
        room: `${roomPrefix}-${Math.floor(nth / roomSize)}`,
        // Each client gets a user agent of its own. The hub identifies guests by address and user
        // agent.
        name: `load-${nth}`,
        onSync: resolve,
        onEvent: (tookUs) => this.#count(tookUs),
        onFailure: (what) => {
          this.failures.push(what);
          resolve();
          this.#onWhole?.();
        },
      });
      this.#clients.push(client);
    });
  }

  #count(tookUs: number): void {
    this.#missing--;
    if (this.#missing < 0) this.failures.push("more events arrived than were expected");
    else this.#latenciesUs[this.#missing] = tookUs;
    if (this.#missing === 0) this.#onWhole?.();
  }

  expect(events: number): void {
    this.#missing = events * this.#clients.length;
    this.#latenciesUs = new Float64Array(this.#missing);
  }

  /**
   * Waits for all expected events.
   * @returns the latency of each event at each client, in microseconds
   */
  async receive(): Promise<Float64Array> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RECEIVE_MS);
      this.#onWhole = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#missing <= 0 || this.failures.length > 0) this.#onWhole();
    });
    this.#onWhole = undefined;
    if (this.#missing > 0) this.failures.push(`${this.#missing} events did not arrive`);
    return this.#latenciesUs;
  }

  leave(): void {
    for (const client of this.#clients.splice(0)) client.leave();
  }
}
