import { createTRPCClient, httpSubscriptionLink, type TRPCLink, wsLink } from "@trpc/client";
import { EventSource } from "eventsource";
import type { RoomName } from "../chat/rows/room-key.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";
import { connectSocket } from "./live-visitor.ts";

/**
 * A light client that stores a room's log. It uses tRPC's own client, and hundreds fit in one
 * process.
 */
export interface LogKeeper extends Disposable {
  /** The ids of the messages in the client's log, oldest first. */
  readonly ids: readonly number[];
  /** The digest of the contents of the client's log, computed with {@link digestOf}. */
  readonly digest: number;
  /** The last online_count that the client received. */
  readonly online: number | undefined;
  /** The number of sync events with `recovered: false`. */
  readonly restarts: number;
  readonly syncs: number;
  /**
   * Violations of the protocol that the client saw: missing or repeated messages, or messages in
   * the wrong order. Errors that ended the subscription are listed, too.
   */
  readonly faults: readonly string[];
  /** Drops the client's connection for good. */
  vanish(): void;
}

interface KeeperOptions {
  /**
   * The User-Agent header. The hub identifies a guest without a cookie by this header and the IP
   * address.
   */
  userAgent: string;
  /** Returns the server's URL; called for every connection attempt. */
  url: () => string;
  room: RoomName;
  /** True if the client subscribes over SSE instead of WebSocket. */
  overSse?: boolean;
  /**
   * True if the servers ask this client to reconnect. tRPC's client listens to the old server until
   * the new server responds. The new server may be a moment behind. It then repeats messages that
   * the client knows, and its sync event has an older head. (packages/client drops repeated
   * messages.)
   */
  isAskedToReconnect?: boolean;
}

type Message = Extract<RoomEvent, { type: "message" }>;

const RETRY_MS = 500;

/**
 * Returns the digest of a log after one more message.
 * @param digest the digest of the log before the message, 0 for an empty log
 */
export const digestOf = (digest: number, content: string): number => {
  let hash = digest;
  for (let n = 0; n < content.length; n++) hash = (Math.imul(hash, 31) + content.charCodeAt(n)) | 0;
  return hash;
};

export function keepLog(options: KeeperOptions): LogKeeper {
  const { userAgent, url, room, overSse, isAskedToReconnect = false } = options;
  const kept = {
    ids: [] as number[],
    digest: 0,
    online: undefined as number | undefined,
    restarts: 0,
    syncs: 0,
    faults: [] as string[],
  };
  /**
   * Messages that do not follow the last message of the client's log. They are valid only if the
   * next sync event has `recovered: false`.
   */
  let astray: Message[] = [];

  function take(event: RoomEvent): void {
    if ("online_count" in event) kept.online = event.online_count;
    if (event.type === "message") append(event);
    if (event.type !== "sync") return;
    kept.syncs++;
    if (!event.recovered) beginAnew();
    const last = kept.ids.at(-1);
    for (const { id, prev_id } of astray) kept.faults.push(`${id} after ${prev_id}, not ${last}`);
    astray = [];
    const isWhole = (last ?? 0) === event.head;
    if (!isWhole && !(isAskedToReconnect && kept.ids.includes(event.head))) {
      kept.faults.push(`sync at ${event.head}, not ${last}`);
    }
  }

  function beginAnew(): void {
    kept.restarts++;
    kept.ids = [];
    kept.digest = 0;
    for (const message of astray.splice(0)) append(message);
  }

  function append(message: Message): void {
    if (isAskedToReconnect && kept.ids.includes(message.id)) return;
    const last = kept.ids.at(-1);
    if (astray.length > 0 || (last !== undefined && message.prev_id !== last)) {
      astray.push(message);
      return;
    }
    kept.ids.push(message.id);
    kept.digest = digestOf(kept.digest, message.content);
  }

  const connection = overSse ? stream(url, userAgent) : socket(url, userAgent);
  const client = createTRPCClient<AppRouter>({ links: [connection.link] });
  const subscription = client.rooms.live.subscribe(room, {
    onData: ({ data }) => take(data),
    onError: (error) => void kept.faults.push(`ended: ${error.message}`),
  });
  const vanish = () => {
    subscription.unsubscribe();
    connection.end();
  };
  return Object.assign(kept, { vanish, [Symbol.dispose]: vanish });
}

interface Connection {
  link: TRPCLink<AppRouter>;
  /** Closes the connection without a closing handshake. */
  end: () => void;
}

function socket(url: () => string, userAgent: string): Connection {
  const { socket, opened } = connectSocket({
    url,
    headers: () => ({ "user-agent": userAgent }),
    retryDelayMs: () => Math.random() * RETRY_MS,
  });
  const end = () => {
    opened.at(-1)?.terminate();
    void socket.close();
  };
  return { link: wsLink({ client: socket }), end };
}

function stream(url: () => string, userAgent: string): Connection {
  class Named extends EventSource {
    constructor(address: string | URL) {
      super(address, {
        fetch: (where, init) =>
          fetch(where, { ...init, headers: { ...init.headers, "user-agent": userAgent } }),
      });
    }
  }
  const link = httpSubscriptionLink({ url: () => `${url()}/trpc`, EventSource: Named });
  return { link, end: () => undefined };
}
