import { BusChannels } from "../bus/bus-channels.ts";
import type { BusMessage, RoomBus } from "../bus/room-bus.ts";
import type { RedisLink } from "./redis-link.ts";

interface BusOptions {
  link: RedisLink;
  /** Prefix of every channel: separates the hubs that share one Redis. */
  prefix: string;
  nodeId: string;
  onError: (error: unknown, doing: string) => void;
}

/**
 * The bus between servers, over Redis pub/sub. A message reaches this server's own listeners
 * without Redis. Messages are lost while the connection is broken; the rooms then read the log.
 */
export function redisRoomBus({ link, prefix, nodeId, onError }: BusOptions): RoomBus {
  const channels = new BusChannels();
  const start = `${prefix}:`;
  const nameOf = (channel: string) => start + channel;

  function receive(text: string, name: string): void {
    // Skips a message of this server: its listeners received that message when it was published.
    if (text.startsWith(`${nodeId} `)) return;
    try {
      channels.deliver(name.slice(start.length), decode(text));
    } catch (error) {
      // A server of another release may send messages of unknown form. Such messages are skipped:
      // the log and the reply store contain their data.
      onError(error, "reading a bus message");
    }
  }

  // Each new connection subscribes to every channel once, however many listeners the channel has.
  link.prepare(async (client) => {
    const names = channels.names.map(nameOf);
    if (names.length > 0) await client.subscribe(names, receive);
  });

  return {
    lossless: false,
    async publish(channel, message) {
      channels.deliver(channel, message);
      // A failed publish is not reported here, since the Redis link reports each outage once.
      const sent = link.run((client) => client.publish(nameOf(channel), encode(message)));
      return (await link.or<number | undefined>(sent, undefined)) !== undefined;
    },
    async subscribe(channel, listener) {
      const remove = channels.add(channel, listener);
      // SUBSCRIBE is sent for every listener, since an earlier SUBSCRIBE may not have arrived. If
      // this one fails, the next connection subscribes. Messages sent before that are lost.
      await link.or(
        link.run((client) => client.subscribe(nameOf(channel), receive)),
        undefined,
      );
      return async () => {
        if (!remove()) return;
        // Without the argument `receive`, `unsubscribe` would also remove a subscription that was
        // made meanwhile.
        await link.or(
          link.run((client) => client.unsubscribe(nameOf(channel), receive)),
          undefined,
        );
      };
    },
    onGap: (listener) => link.onReconnect(listener),
    get listeners() {
      return channels.size;
    },
  };
}

/** Encodes a message as `<from> <json>`: its sender can be read without parsing the JSON. */
const encode = ({ from, ...message }: BusMessage): string => `${from} ${JSON.stringify(message)}`;

function decode(text: string): BusMessage {
  const cut = text.indexOf(" ");
  return { from: text.slice(0, cut), ...JSON.parse(text.slice(cut + 1)) };
}
