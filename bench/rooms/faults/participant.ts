import { WebSocket } from "ws";
import { latenciesMs } from "../../provider/stamped-words.ts";
import type { ParticipantState, Place } from "./participant-orders.ts";

const RETRY_MS = 1_000;

type LiveEvent =
  | { type: "message"; id: number; prev_id: number }
  | { type: "sync"; recovered: boolean; head: number }
  | { type: "presence"; left: string[] }
  | { type: "other" };

/** A guest in a room: a client with a minimal implementation of tRPC's protocol. */
export class Participant {
  readonly place: Place;
  /** Ids of the messages since the first join, in the order of arrival. */
  readonly ids: number[] = [];
  /** The number of messages and syncs that reveal a gap or a repetition in the received ids. */
  faults = 0;
  readonly left: ParticipantState["left"] = [];
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

  #connect(): void {
    const { ports, room, agent, subscriptions = 1 } = this.place;
    const port = ports[this.#connects++ % ports.length];
    const socket = new WebSocket(`ws://127.0.0.1:${port}/trpc`, {
      headers: { "user-agent": agent },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const lastEventId = this.#cursor === undefined ? {} : { lastEventId: this.#cursor };
    const params = { path: "rooms.live", input: { ...room, ...lastEventId } };
    socket.on("open", () => {
      for (let id = 1; id <= subscriptions; id++) {
        socket.send(JSON.stringify({ id, method: "subscription", params }));
      }
    });
    socket.on("message", (data) => this.#handleFrame(String(data)));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      // A connection that the client itself cut does not reconnect automatically.
      if (this.#socket === socket) setTimeout(() => this.#connect(), Math.random() * RETRY_MS);
    });
  }

  #handleFrame(frame: string): void {
    if (frame.includes('"type":"reply-delta"')) {
      if (this.onLatency) for (const latency of latenciesMs(frame)) this.onLatency(latency);
      return;
    }
    const { data } = JSON.parse(frame).result ?? {};
    if (!data) return;
    this.#cursor = data.id;
    this.#handleEvent(data.data);
  }

  #handleEvent(event: LiveEvent): void {
    if (event.type === "message") {
      const last = this.ids.at(-1);
      if (last !== undefined && event.prev_id !== last) this.faults++;
      this.ids.push(event.id);
    } else if (event.type === "presence") {
      if (event.left.length > 0) this.left.push({ count: event.left.length, at: Date.now() });
    } else if (event.type === "sync") {
      if (!event.recovered || event.head !== (this.ids.at(-1) ?? 0)) this.faults++;
      // After the sync, a client with `reads: false` stops reading from its socket.
      if (!this.place.reads) this.#socket?.pause();
      this.#onSync?.();
      this.#onSync = undefined;
    }
  }

  /** Drops the connection from the client's side, without a closing handshake. */
  cut(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }
}
