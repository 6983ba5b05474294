import {
  createTRPCClient,
  createWSClient,
  httpSubscriptionLink,
  type TRPCLink,
  wsLink,
} from "@trpc/client";
import { EventSource } from "eventsource";
import { WebSocket } from "ws";
import type { RoomName } from "../chat/rows/room-key.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";

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
  let ids: number[] = [];
  let digest = 0;
  let online: number | undefined;
  let restarts = 0;
  let syncs = 0;
  /**
   * Messages that do not follow the last message of the client's log. They are valid only if the
   * next sync event has `recovered: false`.
   */
  let astray: Message[] = [];
  const faults: string[] = [];

  function take(event: RoomEvent): void {
    if ("online_count" in event) online = event.online_count;
    if (event.type === "message") append(event);
    if (event.type !== "sync") return;
    syncs++;
    if (!event.recovered) beginAnew();
    for (const { id, prev_id } of astray) faults.push(`${id} after ${prev_id}, not ${ids.at(-1)}`);
    astray = [];
    const isWhole = (ids.at(-1) ?? 0) === event.head;
    if (!isWhole && !(isAskedToReconnect && ids.includes(event.head))) {
      faults.push(`sync at ${event.head}, not ${ids.at(-1)}`);
    }
  }

  function beginAnew(): void {
    restarts++;
    ids = [];
    digest = 0;
    for (const message of astray.splice(0)) append(message);
  }

  function append(message: Message): void {
    if (isAskedToReconnect && ids.includes(message.id)) return;
    const last = ids.at(-1);
    if (astray.length > 0 || (last !== undefined && message.prev_id !== last)) {
      astray.push(message);
      return;
    }
    ids.push(message.id);
    digest = digestOf(digest, message.content);
  }

  const connection = overSse ? stream(url, userAgent) : socket(url, userAgent);
  const client = createTRPCClient<AppRouter>({ links: [connection.link] });
  const subscription = client.rooms.live.subscribe(room, {
    onData: ({ data }) => take(data),
    onError: (error) => void faults.push(`ended: ${error.message}`),
  });
  const vanish = () => {
    subscription.unsubscribe();
    connection.end();
  };
  return {
    get ids() {
      return ids;
    },
    get digest() {
      return digest;
    },
    get online() {
      return online;
    },
    get restarts() {
      return restarts;
    },
    get syncs() {
      return syncs;
    },
    faults,
    vanish,
    [Symbol.dispose]: vanish,
  };
}

interface Connection {
  link: TRPCLink<AppRouter>;
  /** Closes the connection without a closing handshake. */
  end: () => void;
}

function socket(url: () => string, userAgent: string): Connection {
  let opened: WebSocket | undefined;
  class Named extends WebSocket {
    constructor(address: string) {
      super(address, [], { headers: { "user-agent": userAgent } });
      opened = this;
    }
  }
  const client = createWSClient({
    url: () => `${url().replace(/^http/, "ws")}/trpc`,
    WebSocket: Named as unknown as typeof globalThis.WebSocket,
    retryDelayMs: () => Math.random() * RETRY_MS,
  });
  const end = () => {
    opened?.terminate();
    void client.close();
  };
  return { link: wsLink({ client }), end };
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
