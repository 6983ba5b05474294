import { BusChannels } from "./bus-channels.ts";
import type { RoomBus } from "./room-bus.ts";

/**
 * Creates the bus of a hub with one process. The bus delivers messages in the same turn of the
 * event loop.
 */
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
    onGap: () => () => {},
    get listeners() {
      return channels.size;
    },
  };
}
