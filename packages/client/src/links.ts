import type { AppRouter } from "@soul-hub/api";
import type { TRPCClient } from "@trpc/client";
import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  wsLink,
} from "@trpc/client";
import { EventSource } from "eventsource";
import { jitter } from "./jitter.ts";

export interface HubClientOptions {
  /** Where the hub is, e.g. `https://hub.example` or the page's own `location.origin`. */
  baseUrl: string;
  /** An API key. Without one the browser's cookies speak, or the caller is a guest. */
  key?: string;
  headers?: Record<string, string>;
  /** For runtimes without a WebSocket of their own, or with one that sends cookies. */
  WebSocket?: typeof WebSocket;
}

export interface HubClient {
  client: TRPCClient<AppRouter>;
  /** Closes the socket. Leave the rooms first: they would open it again. */
  close(): Promise<void>;
}

/** Decisions §6: what the hub takes in one batch. */
const BATCH_CALLS_MAX = 64;
const URL_LENGTH_MAX = 4_096;
/** The socket stays open this long after its last subscription: pages change rooms. */
const IDLE_MS = 5_000;
/** Up to 4 s between two tries. */
const RETRY_DOUBLINGS_MAX = 3;
/** A handshake that takes longer does not come any more. */
const CONNECT_MS = 5_000;
/** A network that died in silence is noticed within 9 s, before the hub counts us out. */
const PING_MS = 5_000;
const PONG_MS = 4_000;

/**
 * The hub's typed client: calls over HTTP, subscriptions over one socket that opens on demand, or,
 * with `context: { route: "stream" }`, as server-sent events.
 */
export function createHubClient(options: HubClientOptions): HubClient {
  const { baseUrl, key, WebSocket = globalThis.WebSocket } = options;
  const url = new URL("/trpc", baseUrl);
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const headers = { ...options.headers, ...authorization };
  const socketUrl = new URL(url);
  socketUrl.protocol = url.protocol === "https:" ? "wss:" : "ws:";

  const socket = createWSClient({
    url: socketUrl.href,
    // A subscription is never idle: lazy closes the socket only when there is none.
    lazy: { enabled: true, closeMs: IDLE_MS },
    keepAlive: { enabled: true, intervalMs: PING_MS, pongTimeoutMs: PONG_MS },
    // A room does not wait for it any longer: it comes by another way meanwhile (0018).
    retryDelayMs: (attempt) => jitter(Math.min(attempt, RETRY_DOUBLINGS_MAX)),
    ...(key === undefined ? {} : { connectionParams: authorization }),
    WebSocket: givingUp(WebSocket),
  });

  const client = createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: splitLink({
          condition: ({ context }) => context.route === "stream",
          true: httpSubscriptionLink({
            url: url.href,
            EventSource,
            // The browser's own takes no headers, and a key never stands in an address.
            eventSourceOptions: {
              fetch: (address, init) =>
                fetch(address, { ...init, headers: { ...init.headers, ...headers } }),
            },
          }),
          false: wsLink({ client: socket }),
        }),
        false: splitLink({
          // A batch answers when its slowest call does: a reply being written must not hold up
          // what else was sent.
          condition: ({ type }) => type === "mutation",
          true: httpLink({ url, headers }),
          false: httpBatchLink({
            url,
            headers,
            maxItems: BATCH_CALLS_MAX,
            maxURLLength: URL_LENGTH_MAX,
          }),
        }),
      }),
    ],
  });
  return { client, close: () => socket.close() };
}

/** Sockets that fail where a network lets the handshake hang: the client would wait for ever. */
function givingUp(Base: typeof WebSocket): typeof WebSocket {
  return class extends Base {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      const timer = setTimeout(() => {
        if (this.readyState === this.CONNECTING) this.close();
      }, CONNECT_MS);
      this.addEventListener("open", () => clearTimeout(timer));
      this.addEventListener("close", () => clearTimeout(timer));
    }
  };
}
