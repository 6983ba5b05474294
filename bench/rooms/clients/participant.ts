import type { RoomName } from "@soul-hub/api/testing";
import { WebSocket } from "ws";
import { latenciesMs } from "../../provider/words.ts";

/** The room, the servers and the behaviour of one client. */
export interface Place {
  /** The ports of the client's servers. Each connection attempt uses the next port. */
  ports: number[];
  room: RoomName;
  /** The User-Agent header, by which the hub identifies a guest without a cookie. */
  agent: string;
  /** The clients of a group are measured together. */
  group: string;
  /** The number of subscriptions on one socket, by default one. A hostile client has more. */
  subscriptions?: number;
  /** True if the client stops reading from its socket after the join. */
  isStuck?: boolean;
}

const RETRY_MS = 1_000;

type LiveEvent =
  | { type: "message"; id: number; prev_id: number }
  | { type: "sync"; recovered: boolean; head: number }
  | { type: "presence"; left: string[] }
  | { type: "other" };

/** A guest in a room of the hub: a client with a minimal implementation of tRPC's protocol. */
export class Participant {
  readonly place: Place;
  /** Ids of the messages since the first join, in the order of arrival. */
  readonly ids: number[] = [];
  /** The number of messages and syncs that reveal a gap or a repetition in the received ids. */
  faults = 0;
  /** The received leave events: the number of participants that left, and the time. */
  readonly left: { count: number; at: number }[] = [];
  /** Called with the latency of each word of a reply. */
  onLatency: ((ms: number) => void) | undefined;
  #cursor: string | undefined;
  #connects = 0;
  #socket: WebSocket | undefined;
  #onSync: (() => void) | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  /** Connects, with retries. The promise resolves with the first sync event. */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSync = resolve;
      this.#connect();
    });
  }

  /** Drops the connection from the client's side, without a closing handshake. */
  cut(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  #connect(): void {
    const { ports, room, agent, subscriptions = 1 } = this.place;
    const socket = new WebSocket(`ws://127.0.0.1:${ports[this.#connects++ % ports.length]}/trpc`, {
      headers: { "user-agent": agent },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const input = this.#cursor === undefined ? room : { ...room, lastEventId: this.#cursor };
    const params = { path: "rooms.live", input };
    socket.on("open", () => {
      for (let id = 1; id <= subscriptions; id++) {
        socket.send(JSON.stringify({ id, method: "subscription", params }));
      }
    });
    socket.on("message", (data) => this.#read(String(data)));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      // A connection that the client itself cut does not reconnect automatically.
      if (this.#socket === socket) setTimeout(() => this.#connect(), Math.random() * RETRY_MS);
    });
  }

  #read(frame: string): void {
    if (frame.includes('"type":"reply-delta"')) {
      if (this.onLatency) for (const latency of latenciesMs(frame)) this.onLatency(latency);
      return;
    }
    const { data } = JSON.parse(frame).result ?? {};
    if (!data) return;
    this.#cursor = data.id;
    const event: LiveEvent = data.data;
    if (event.type === "message") {
      const last = this.ids.at(-1);
      if (last !== undefined && event.prev_id !== last) this.faults++;
      this.ids.push(event.id);
    } else if (event.type === "presence") {
      if (event.left.length > 0) this.left.push({ count: event.left.length, at: Date.now() });
    } else if (event.type === "sync") {
      if (!event.recovered || event.head !== (this.ids.at(-1) ?? 0)) this.faults++;
      if (this.place.isStuck) this.#socket?.pause();
      this.#onSync?.();
      this.#onSync = undefined;
    }
  }
}
