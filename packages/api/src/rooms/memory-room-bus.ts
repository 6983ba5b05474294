import { BusChannels } from "./bus-channels.ts";
import type { RoomBus } from "./room-bus.ts";

/** The bus of a hub that is one process: delivers in the turn of the call. */
export function memoryRoomBus(): RoomBus {
  const channels = new BusChannels();
  return {
    lossless: true,
    async publish(channel, message) {
      channels.deliver(channel, message);
      return true;
    },
    async subscribe(channel, listener) {
      const remove = channels.add(channel, listener);
      return async () => void remove();
    },
    // Nothing is ever missed.
    onGap: () => () => {},
    get listeners() {
      return channels.size;
    },
  };
}
