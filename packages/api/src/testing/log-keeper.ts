import {
  createTRPCClient,
  createWSClient,
  httpSubscriptionLink,
  type TRPCLink,
  wsLink,
} from "@trpc/client";
import { EventSource } from "eventsource";
import { WebSocket } from "ws";
import type { RoomName } from "../chat/room-key.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";

/** Somebody who keeps a room's log with the stock client, and little else: hundreds fit in a process. */
export interface LogKeeper {
  /** Of the messages it holds, oldest first. */
  readonly ids: readonly number[];
  /** Over their contents, in order; as {@link digestOf} has it. */
  readonly digest: number;
  /** What the room last said about the number of people in it. */
  readonly online: number | undefined;
  /** How often it began anew: too far behind, or a log it didn't know. */
  readonly restarts: number;
  readonly syncs: number;
  /** What a client may never see: a hole, a repeat, or a step back. */
  readonly faults: readonly string[];
  /** Goes without a word, for good. */
  vanish(): void;
}

interface KeeperOptions {
  /** A guest without a cookie is known by its address and this. */
  userAgent: string;
  /** Where to look next; asked at every attempt. */
  url: () => string;
  room: RoomName;
  /** Where WebSockets are blocked. */
  overSse?: boolean;
  /**
   * Its servers hand it over to each other. The stock client goes on hearing the old one until the
   * new one speaks, which may be a moment behind by then: it says again what is known, and begins
   * there. (packages/client drops what it has.)
   */
  isHandedOver?: boolean;
}

type Message = Extract<RoomEvent, { type: "message" }>;

const RETRY_MS = 500;

/** The digest of a log whose last message this is. */
export const digestOf = (digest: number, content: string): number => {
  let hash = digest;
  for (let n = 0; n < content.length; n++) hash = (Math.imul(hash, 31) + content.charCodeAt(n)) | 0;
  return hash;
};

export function keepLog(options: KeeperOptions): LogKeeper {
  const { userAgent, url, room, overSse, isHandedOver = false } = options;
  let ids: number[] = [];
  let digest = 0;
  let online: number | undefined;
  let restarts = 0;
  let syncs = 0;
  /** What doesn't follow on the log: the next sync must say that the log begins anew with it. */
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
    if (!isWhole && !(isHandedOver && ids.includes(event.head))) {
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
    if (isHandedOver && ids.includes(message.id)) return;
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
    vanish() {
      subscription.unsubscribe();
      connection.end();
    },
  };
}

interface Connection {
  link: TRPCLink<AppRouter>;
  /** Without a word. */
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
