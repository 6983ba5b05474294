import {
  createTRPCClient,
  createWSClient,
  type TRPCClient,
  TRPCClientError,
  wsLink,
} from "@trpc/client";
import { WebSocket } from "ws";
import type { RoomName } from "../chat/room-key.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";
import type { Actor } from "./actor.ts";
import { testDatabases } from "./test-database.ts";

/** With ready frames on each database, and once past them: no client may see a difference. */
export const liveDoors = () => [
  ...testDatabases().map((database) => ({ database, fanOut: "frames" as const })),
  { database: "pglite" as const, fanOut: "generators" as const },
];

/** The stock client over one real socket. */
export interface LiveSocket extends AsyncDisposable {
  client: TRPCClient<AppRouter>;
  /** How often it has connected. */
  readonly connects: number;
  readonly isOpen: boolean;
  /** Breaks the connection without a word; the client then comes back by itself. */
  cut(): void;
  join(room: RoomName, options?: { last_id?: number }): Visitor;
  close(): Promise<void>;
}

/** One subscription to a room, and everything that came of it. */
export interface Visitor {
  /** In order; each with the id it was tracked by. */
  readonly tracked: { id: string; event: RoomEvent }[];
  readonly events: RoomEvent[];
  readonly types: RoomEvent["type"][];
  /** Of the durable messages, in the order they came. */
  readonly ids: number[];
  of<T extends RoomEvent["type"]>(type: T): Extract<RoomEvent, { type: T }>[];
  /** What the room last said about the number of people in it. */
  readonly online: number | undefined;
  /** The hub's code of the error that ended the subscription. */
  readonly endedBy: string | undefined;
  leave(): void;
}

interface SocketOptions {
  /** How long the client stays away after a cut. */
  retryDelayMs?: () => number;
}

/** As the actors' fetch calls itself: a guest without a cookie is known by it. */
const FETCH_AGENT = { "user-agent": "node" };

type Place = Pick<Actor, "apiKey" | "cookies">;

/** Connects as the actor: by its key, else by its cookies, as a browser on the hub's own page. */
export function openSocket(
  { url }: { url: string },
  { apiKey, cookies }: Place,
  { retryDelayMs = () => 10 }: SocketOptions = {},
): LiveSocket {
  const opened: WebSocket[] = [];
  const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ");
  const browser = cookie ? { cookie, origin: url } : {};
  class BrowserSocket extends WebSocket {
    constructor(address: string, protocols?: string[]) {
      super(address, protocols ?? [], { headers: { ...FETCH_AGENT, ...browser } });
      opened.push(this);
    }
  }
  const socket = createWSClient({
    url: `${url.replace(/^http/, "ws")}/trpc`,
    WebSocket: BrowserSocket as unknown as typeof globalThis.WebSocket,
    retryDelayMs,
    ...(apiKey ? { connectionParams: { authorization: `Bearer ${apiKey}` } } : {}),
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

/** Somebody in a room over a socket of their own. */
export type LiveVisitor = Visitor & Omit<LiveSocket, "join">;

/** Connects as the actor and joins the room. */
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
  const tracked: Visitor["tracked"] = [];
  let endedBy: string | undefined;
  const subscription = client.rooms.live.subscribe(input, {
    onData: ({ id, data }) => void tracked.push({ id, event: data }),
    onError: (error) => {
      endedBy = failureCode(error);
    },
  });
  const of: Visitor["of"] = (type) =>
    tracked.flatMap(({ event }) => (isOf(event, type) ? event : []));
  return {
    tracked,
    of,
    get events() {
      return tracked.map(({ event }) => event);
    },
    get types() {
      return tracked.map(({ event }) => event.type);
    },
    get ids() {
      return of("message").map(({ id }) => id);
    },
    get online() {
      const counts = tracked.flatMap(({ event }) =>
        "online_count" in event ? event.online_count : [],
      );
      return counts.at(-1);
    },
    get endedBy() {
      return endedBy;
    },
    leave: () => subscription.unsubscribe(),
  };
}

const isOf = <T extends RoomEvent["type"]>(
  event: RoomEvent,
  type: T,
): event is Extract<RoomEvent, { type: T }> => event.type === type;

/** The hub's code in whatever a tRPC client threw. */
export function failureCode(error: unknown): string {
  const data = error instanceof TRPCClientError ? error.data : undefined;
  return typeof data?.error === "string" ? data.error : String(error);
}
