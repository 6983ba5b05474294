import type { AppRouter } from "@soul-hub/api";
import type { TRPCClient } from "@trpc/client";
import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  httpLink,
  splitLink,
  wsLink,
} from "@trpc/client";
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
/** A network that died in silence is noticed within 9 s, before the hub counts us out. */
const PING_MS = 5_000;
const PONG_MS = 4_000;

/** The hub's typed client: calls over HTTP, subscriptions over one socket that opens on demand. */
export function createHubClient(options: HubClientOptions): HubClient {
  const { baseUrl, key, WebSocket } = options;
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
    retryDelayMs: jitter,
    ...(key === undefined ? {} : { connectionParams: authorization }),
    ...(WebSocket === undefined ? {} : { WebSocket }),
  });

  const client = createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: wsLink({ client: socket }),
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
