import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";

/** Decisions §6: the live room where WebSockets are blocked. */
describe("rooms.live over SSE", () => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  beforeAll(async () => {
    hub = await startChatHub();
    vera = await hub.vip("vera");
    room = await openRoom(vera);
  });
  afterAll(() => hub.close());

  const address = (input: object) =>
    `${hub.url}/trpc/rooms.live?input=${encodeURIComponent(JSON.stringify(input))}`;
  const authorization = () => `Bearer ${vera.apiKey}`;

  /** The stream as it comes, with the key in the header. */
  const stream = async (input: object, headers: Record<string, string> = {}) => {
    const leaving = new AbortController();
    const response = await fetch(address(input), {
      headers: { accept: "text/event-stream", authorization: authorization(), ...headers },
      signal: leaving.signal,
    });
    const got = { response, text: "", leave: () => leaving.abort() };
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? [])
        got.text += decoder.decode(chunk, { stream: true });
    })().catch(() => undefined);
    return got;
  };

  it("works with the stock client: sync, messages once and in order, and leaving", async () => {
    const events: RoomEvent[] = [];
    const client = createTRPCClient<AppRouter>({
      links: [
        httpSubscriptionLink({
          url: `${hub.url}/trpc`,
          EventSource: headerEventSource(authorization()),
        }),
      ],
    });
    const subscription = client.rooms.live.subscribe(room, {
      onData: ({ data }) => events.push(data),
    });
    const types = () => events.map(({ type }) => type);
    await eventually(() => expect(types()).toEqual(["sync"]));
    expect(events[0]).toMatchObject({ online_count: 1, participants: [{ name: "vera" }] });
    await say(vera, room, "Is it dark?");
    await eventually(() => expect(types()).toContain("reply-done"));
    const ids = events.flatMap((event) => (event.type === "message" ? event.id : []));
    const { new_messages } = (await sync(vera, room, { last_id: 0 })).body;
    expect(ids).toEqual(new_messages.map(({ id }: { id: number }) => id));
    subscription.unsubscribe();
    await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(0));
  });

  it("tracks every event by an id that a browser comes back with", async () => {
    const { new_messages } = (await sync(vera, room, { last_id: 0 })).body;
    const first = new_messages[0].id;
    const all = await stream(room);
    expect(all.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(all.response.headers.get("cache-control")).toContain("no-");
    await eventually(() => expect(all.text).toContain('"type":"sync"'));
    expect(all.text).toContain(`id: ${first}\n`);
    all.leave();
    const rest = await stream(room, { "last-event-id": String(first) });
    await eventually(() => expect(rest.text).toContain('"type":"sync"'));
    expect(rest.text).not.toContain(`id: ${first}\n`);
    expect(rest.text).toContain(`id: ${new_messages[1].id}\n`);
    rest.leave();
    await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(0));
  });

  it("ends with the hub's error when the room turns private", async () => {
    const ben = await hub.member("ben");
    const events = await stream(room, { authorization: `Bearer ${ben.apiKey}` });
    await eventually(() => expect(events.text).toContain('"type":"sync"'));
    await say(vera, room, "Out.", { is_private: true });
    await eventually(() => expect(events.text).toContain('"error":"private_session"'));
    expect(events.text).not.toContain("Out.");
  });

  it("refuses a bad key, and a room one may not enter, with the hub's code", async () => {
    const bad = await stream(room, { authorization: "Bearer shk_nonsense" });
    await eventually(() => expect(bad.text).toContain('"error":"unauthenticated"'));
    const gone = await stream({ ...room, soul_id: 4_711 });
    await eventually(() => expect(gone.text).toContain('"error":"soul_not_found"'));
  });
});

it("a hub that stops ends the streams of its rooms, and is not held up by them", async () => {
  const hub = await startChatHub();
  const vera = await hub.vip("vera");
  const input = JSON.stringify(await openRoom(vera));
  const response = await fetch(`${hub.url}/trpc/rooms.live?input=${encodeURIComponent(input)}`, {
    headers: { accept: "text/event-stream", authorization: `Bearer ${vera.apiKey}` },
  });
  const text = response.text();
  await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(1));
  await hub.close();
  expect(await text).toContain('"error":"shutting_down"');
});

/** What the stock client needs of an EventSource, with a header: the key never stands in the URL. */
function headerEventSource(authorization: string) {
  return class extends EventTarget {
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSED = 2;
    readonly url: string;
    readyState: number = this.CONNECTING;
    readonly #leaving = new AbortController();
    constructor(url: string | URL) {
      super();
      this.url = String(url);
      void this.#read().catch(() => {
        if (this.readyState !== this.CLOSED) this.dispatchEvent(new Event("error"));
      });
    }
    async #read() {
      const response = await fetch(this.url, {
        headers: { accept: "text/event-stream", authorization },
        signal: this.#leaving.signal,
      });
      this.readyState = this.OPEN;
      this.dispatchEvent(new Event("open"));
      let text = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) this.#dispatch(block);
      }
    }
    #dispatch(block: string) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
      const [type, data, lastEventId] = [field("event"), field("data"), field("id")];
      this.dispatchEvent(
        new MessageEvent(type || "message", { data, lastEventId: lastEventId ?? "" }),
      );
    }
    close() {
      this.readyState = this.CLOSED;
      this.#leaving.abort();
    }
  };
}
