import { BusChannels } from "../bus-channels.ts";
import type { BusMessage, RoomBus } from "../room-bus.ts";
import type { RedisLink } from "./redis-link.ts";

interface BusOptions {
  link: RedisLink;
  /** Before every channel: what keeps two hubs on one Redis apart. */
  prefix: string;
  nodeId: string;
  onError: (error: unknown, doing: string) => void;
}

/**
 * The bus between servers: Redis pub/sub. This server's own people never wait for it. It is not
 * lossless: while the connection is broken nothing is heard, and the rooms read the log instead.
 */
export function redisRoomBus({ link, prefix, nodeId, onError }: BusOptions): RoomBus {
  const channels = new BusChannels();
  const start = `${prefix}:`;
  const nameOf = (channel: string) => start + channel;

  function hear(text: string, name: string): void {
    // Our own echo: delivered when it was published.
    if (text.startsWith(`${nodeId} `)) return;
    try {
      channels.deliver(name.slice(start.length), decode(text));
    } catch (error) {
      // A server of another release may say what we don't understand: the log and the store have it.
      onError(error, "reading what another server said");
    }
  }

  // One subscriber per room, however many listen here.
  link.prepare(async (client) => {
    const names = channels.names.map(nameOf);
    if (names.length > 0) await client.subscribe(names, hear);
  });

  return {
    lossless: false,
    async publish(channel, message) {
      channels.deliver(channel, message);
      // The link tells once that it is down, not for every word of a reply.
      const sent = link.run((client) => client.publish(nameOf(channel), encode(message)));
      return (await link.or<number | undefined>(sent, undefined)) !== undefined;
    },
    async subscribe(channel, listener) {
      const remove = channels.add(channel, listener);
      // Sent for every listener: only Redis knows whether the one before has arrived. Where it
      // fails, the next connection begins with it, and a gap.
      await link.or(
        link.run((client) => client.subscribe(nameOf(channel), hear)),
        undefined,
      );
      return async () => {
        if (!remove()) return;
        // With the listener's name, or the client would lose one that is subscribed meanwhile.
        await link.or(
          link.run((client) => client.unsubscribe(nameOf(channel), hear)),
          undefined,
        );
      };
    },
    onGap: (listener) => link.onReturn(listener),
    get listeners() {
      return channels.size;
    },
  };
}

/** `<from> <json>`: whose it is can be told without reading the rest. */
const encode = ({ from, ...message }: BusMessage): string => `${from} ${JSON.stringify(message)}`;

function decode(text: string): BusMessage {
  const cut = text.indexOf(" ");
  return { from: text.slice(0, cut), ...JSON.parse(text.slice(cut + 1)) };
}
