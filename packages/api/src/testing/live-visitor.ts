import {
  createTRPCClient,
  createWSClient,
  type TRPCClient,
  TRPCClientError,
  wsLink,
} from "@trpc/client";
import { WebSocket } from "ws";
import type { RoomName } from "../chat/rows/room-key.ts";
import { ReceivedEvents } from "../rooms/received-events.fixture.ts";
import type { AppRouter } from "../router.ts";
import type { Actor } from "./actor.ts";

/** A connection of tRPC's own client over one real WebSocket. */
export interface LiveSocket extends AsyncDisposable {
  client: TRPCClient<AppRouter>;
  /** The number of WebSockets that the client has opened so far. */
  readonly connects: number;
  readonly isOpen: boolean;
  /** Drops the connection. tRPC's client then reconnects by itself. */
  cut(): void;
  join(room: RoomName, options?: { last_id?: number }): Visitor;
  close(): Promise<void>;
}

/** One subscription to a room, and its events. */
export interface Visitor extends ReceivedEvents {
  /** The error code that ended the subscription. */
  readonly endedBy: string | undefined;
  leave(): void;
}

interface SocketOptions {
  /** Returns the delay before a reconnect, in milliseconds. */
  retryDelayMs?: () => number;
}

/**
 * The User-Agent header that the actors send with `fetch`. The hub identifies a guest without a
 * cookie by this header and the IP address.
 */
const FETCH_AGENT = { "user-agent": "node" };

type Place = Pick<Actor, "apiKey" | "cookies">;

interface ConnectOptions extends SocketOptions {
  /** Returns the hub's URL; called for every connection attempt. */
  url: () => string;
  /** Returns the headers of a connection attempt, with the present cookies. */
  headers: () => Record<string, string>;
  connectionParams?: Record<string, string>;
}

/** Opens tRPC's own client over WebSockets with these headers. `opened` lists its WebSockets. */
export function connectSocket({ url, headers, ...options }: ConnectOptions) {
  const opened: WebSocket[] = [];
  class HeaderSocket extends WebSocket {
    constructor(address: string, protocols?: string[]) {
      super(address, protocols ?? [], { headers: headers() });
      opened.push(this);
    }
  }
  const socket = createWSClient({
    url: () => `${url().replace(/^http/, "ws")}/trpc`,
    WebSocket: HeaderSocket as unknown as typeof globalThis.WebSocket,
    ...options,
  });
  return { socket, opened };
}

/**
 * Opens a WebSocket with the actor's key and cookies. With cookies it sends the `Origin` of the
 * hub's own page, as a browser does.
 */
export function openSocket(
  { url }: { url: string },
  { apiKey, cookies }: Place,
  { retryDelayMs = () => 10 }: SocketOptions = {},
): LiveSocket {
  const { socket, opened } = connectSocket({
    url: () => url,
    headers: () => {
      const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ");
      return { ...FETCH_AGENT, ...(cookie && { cookie, origin: url }) };
    },
    retryDelayMs,
    ...(apiKey && { connectionParams: { authorization: `Bearer ${apiKey}` } }),
  });
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket })] });
  const close = () => socket.close();
  return {
    client,
    get connects() {
      return opened.length;
    },
    get isOpen() {
      return opened.at(-1)?.readyState === WebSocket.OPEN;
    },
    cut: () => opened.at(-1)?.terminate(),
    join: (room, options = {}) => visit(client, { ...room, ...options }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A subscription of a client that has a socket of its own. */
export type LiveVisitor = Visitor & Omit<LiveSocket, "join">;

/** Opens a socket with the actor's credential and subscribes to a room. */
export function joinAs(
  hub: { url: string },
  actor: Place,
  room: RoomName & { last_id?: number },
  options?: SocketOptions,
): LiveVisitor {
  const socket = openSocket(hub, actor, options);
  return Object.defineProperties(
    socket.join(room),
    Object.getOwnPropertyDescriptors(socket),
  ) as LiveVisitor;
}

function visit(client: TRPCClient<AppRouter>, input: RoomName & { last_id?: number }): Visitor {
  const received = new ReceivedEvents();
  const visitor = Object.assign(received, {
    endedBy: undefined as string | undefined,
    leave: () => subscription.unsubscribe(),
  });
  const subscription = client.rooms.live.subscribe(input, {
    onData: ({ id, data }) => void received.tracked.push({ id, event: data }),
    onError: (error) => void Object.assign(visitor, { endedBy: failureCode(error) }),
  });
  return visitor;
}

/** Returns the hub's error code in an error of the tRPC client. */
export function failureCode(error: unknown): string {
  const data = error instanceof TRPCClientError ? error.data : undefined;
  return typeof data?.error === "string" ? data.error : String(error);
}
