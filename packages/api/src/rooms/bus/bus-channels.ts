import type { BusListener, BusMessage } from "./room-bus.ts";

/** The bus listeners of one server, by channel. */
export class BusChannels {
  readonly #listeners = new Map<string, Set<BusListener>>();

  /**
   * Adds a listener to a channel.
   * @returns a function that removes the listener, and returns true if it was the channel's last
   *   one
   */
  add(channel: string, listener: BusListener): () => boolean {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return false;
      return this.#listeners.delete(channel);
    };
  }

  /** Calls the channel's listeners in the same turn of the event loop. */
  deliver(channel: string, message: BusMessage): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(message);
  }

  get names(): string[] {
    return [...this.#listeners.keys()];
  }

  /** The total number of listeners on all channels. */
  get size(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}
