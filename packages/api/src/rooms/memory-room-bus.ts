import type { BusListener, RoomBus } from "./room-bus.ts";

export interface MemoryRoomBus extends RoomBus {
  /** Listeners over all channels. */
  readonly listeners: number;
}

/** The bus of a hub that is one process: delivers in the turn of the call. */
export function memoryRoomBus(): MemoryRoomBus {
  const channels = new Map<string, Set<BusListener>>();
  return {
    lossless: true,
    async publish(channel, message) {
      for (const listener of channels.get(channel) ?? []) listener(message);
    },
    async subscribe(channel, listener) {
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel);
      };
    },
    get listeners() {
      return [...channels.values()].reduce((sum, listeners) => sum + listeners.size, 0);
    },
  };
}
