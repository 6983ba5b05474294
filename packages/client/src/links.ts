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
import { streamLink } from "./stream-link.ts";

interface HubClientOptions {
  /** Origin of the hub, e.g. `https://hub.example` or the page's `location.origin`. */
  baseUrl: string;
  /** An API key. Without a key, the browser's cookies identify the member or guest. */
  key?: string;
  /** Called before a refused call rejects. */
  beforeFailure?: () => Promise<void>;
}

export interface HubClient {
  client: TRPCClient<AppRouter>;
  /** Closes the socket. Close the joined rooms first, because they would open it again. */
  close(): Promise<void>;
}

/** Maximum number of calls in one HTTP batch, as set by the hub (decisions §6). */
const BATCH_CALLS_MAX = 64;
const URL_LENGTH_MAX = 4_096;
/**
 * The socket stays open for this time after its last subscription has ended. A page can thus change
 * the room without a new socket.
 */
const IDLE_MS = 5_000;
/** Maximum number of doublings of the socket's retry delay, which is then at most 4 s. */
const RETRY_DOUBLINGS_MAX = 3;
/** Timeout of a WebSocket handshake, in milliseconds. */
const CONNECT_MS = 5_000;
/** Pings detect a silent network failure within 9 s, before the presence lease expires. */
const PING_MS = 5_000;
const PONG_MS = 4_000;

/**
 * Creates a typed tRPC client. Calls use HTTP. Subscriptions share one WebSocket that opens on
 * demand. With `context: { transport: "stream" }` they use server-sent events instead.
 */
export function createHubClient(options: HubClientOptions): HubClient {
  const { baseUrl, key, beforeFailure } = options;
  const url = new URL("/trpc", baseUrl);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socketUrl = new URL(url);
  socketUrl.protocol = url.protocol === "https:" ? "wss:" : "ws:";

  /** The hub redirects no call. A redirect would carry the key to a server that the user did not name. */
  const fetchDirectly = async (address: string | URL | Request, init: object = {}) => {
    const response = await fetch(address, { ...init, redirect: "error" });
    // A batch with a refused call has the status 207.
    if (response.status !== 200) await beforeFailure?.();
    return response;
  };
  const socket = createWSClient({
    url: socketUrl.href,
    // A lazy socket opens with the first subscription and closes after the last one.
    lazy: { enabled: true, closeMs: IDLE_MS },
    keepAlive: { enabled: true, intervalMs: PING_MS, pongTimeoutMs: PONG_MS },
    // Longer retry delays have no benefit, because the room uses another transport meanwhile
    // (0018).
    retryDelayMs: (attempt) => jitter(Math.min(attempt, RETRY_DOUBLINGS_MAX)),
    ...(key === undefined ? {} : { connectionParams: headers }),
    WebSocket: withConnectTimeout(WebSocket),
  });

  const client = createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: splitLink({
          condition: ({ context }) => context.transport === "stream",
          true: streamLink({ url: url.href, headers, fetch: fetchDirectly }),
          false: wsLink({ client: socket }),
        }),
        false: splitLink({
          // Mutations are not batched. The response to a batch waits for its slowest call, so
          // `chat.send` would delay other mutations.
          condition: ({ type }) => type === "mutation",
          true: httpLink({ url, headers, fetch: fetchDirectly }),
          false: httpBatchLink({
            url,
            headers,
            fetch: fetchDirectly,
            maxItems: BATCH_CALLS_MAX,
            maxURLLength: URL_LENGTH_MAX,
          }),
        }),
      }),
    ],
  });
  return { client, close: () => socket.close() };
}

/**
 * Returns a WebSocket class that closes a socket whose handshake hangs. The tRPC client has no
 * connect timeout.
 */
function withConnectTimeout(Base: typeof WebSocket): typeof WebSocket {
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
