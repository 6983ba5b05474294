import type { BusListener, BusMessage } from "./room-bus.ts";

/** The listeners of one server, by channel. */
export class BusChannels {
  readonly #listeners = new Map<string, Set<BusListener>>();

  /** The answer takes the listener away again. True: the channel's last one went. */
  add(channel: string, listener: BusListener): () => boolean {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return false;
      return this.#listeners.delete(channel);
    };
  }

  /** In the turn of the call. */
  deliver(channel: string, message: BusMessage): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(message);
  }

  get names(): string[] {
    return [...this.#listeners.keys()];
  }

  /** Listeners over all channels. */
  get size(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }
}
