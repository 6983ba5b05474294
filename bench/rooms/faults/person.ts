import { WebSocket } from "ws";
import type { PersonTold, Place } from "./people-orders.ts";
import { agesMs } from "./stamped-speech.ts";

const RETRY_MS = 1_000;

type LiveEvent =
  | { type: "message"; id: number; prev_id: number }
  | { type: "sync"; recovered: boolean; head: number; online_count: number }
  | { type: "presence"; online_count: number; joined: string[]; left: string[] }
  | { type: "other" };

/** Somebody in a room, over a socket that speaks just enough of tRPC's protocol. */
export class Person {
  readonly place: Place;
  /** Of the durable messages since they came first, in the order they came. */
  readonly ids: number[] = [];
  /** A message came that doesn't follow the one before, or a second time. */
  faults = 0;
  /** Names that left, with the time, while they were there. */
  readonly left: PersonTold["left"] = [];
  online = 0;
  syncs = 0;
  /** Gets the age of each word that a reply brings. */
  onAge: ((ms: number) => void) | undefined;
  #cursor: string | undefined;
  #connects = 0;
  #socket: WebSocket | undefined;
  #onSync: (() => void) | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  /** Connects until it is let in; resolves with the sync. */
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
    socket.on("message", (data) => this.#hear(String(data)));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      // Not where it was cut off from this side.
      if (this.#socket === socket) setTimeout(() => this.#connect(), Math.random() * RETRY_MS);
    });
  }

  #hear(frame: string): void {
    if (frame.includes('"type":"reply-delta"')) {
      if (this.onAge) for (const age of agesMs(frame)) this.onAge(age);
      return;
    }
    const { data } = JSON.parse(frame).result ?? {};
    if (!data) return;
    this.#cursor = data.id;
    this.#take(data.data);
  }

  #take(event: LiveEvent): void {
    if (event.type === "message") {
      const last = this.ids.at(-1);
      if (last !== undefined && event.prev_id !== last) this.faults++;
      this.ids.push(event.id);
    } else if (event.type === "presence") {
      this.online = event.online_count;
      if (event.left.length > 0) this.left.push({ count: event.left.length, at: Date.now() });
    } else if (event.type === "sync") {
      this.syncs++;
      this.online = event.online_count;
      if (!event.recovered || event.head !== (this.ids.at(-1) ?? 0)) this.faults++;
      // The process lives, and takes nothing from its socket any more.
      if (!this.place.reads) this.#socket?.pause();
      this.#onSync?.();
      this.#onSync = undefined;
    }
  }

  /** Without a word, from this side. */
  cut(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }
}
