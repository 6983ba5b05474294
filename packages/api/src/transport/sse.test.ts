import { once } from "node:events";
import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import { EventSource } from "eventsource";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import type { RoomEvent } from "../rooms/room-events.ts";
import type { AppRouter } from "../router.ts";
import { openRoom, say, startChatHub, sync } from "../testing/chat-hub.ts";
import { describeRoom } from "../testing/describe-chat.ts";
import { eventually } from "../testing/eventually.ts";

/** Decisions §6: live rooms for clients whose WebSockets are blocked. */
describeRoom("rooms.live over SSE", {}, (hub, vera, room) => {
  const address = (input: object) =>
    `${hub.url}/trpc/rooms.live?input=${encodeURIComponent(JSON.stringify(input))}`;
  const authorization = () => `Bearer ${vera.apiKey}`;

  /** Opens a stream with the key in the Authorization header. */
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

  it("serves tRPC's own client: sync, messages once and in order, unsubscribe", async () => {
    const events: RoomEvent[] = [];
    const client = createTRPCClient<AppRouter>({
      links: [
        httpSubscriptionLink({
          url: `${hub.url}/trpc`,
          EventSource,
          // Sends the key in a header, since the URL must not contain it.
          eventSourceOptions: {
            fetch: (address, init) =>
              fetch(address, {
                ...init,
                headers: { ...init.headers, authorization: authorization() },
              }),
          },
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

  it("resumes from the id of the last event", async () => {
    await say(vera, room, "Hello.");
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

  it("sends the hub's error for an invalid key and for a missing room", async () => {
    const bad = await stream(room, { authorization: "Bearer shk_nonsense" });
    await eventually(() => expect(bad.text).toContain('"error":"unauthenticated"'));
    const gone = await stream({ ...room, soul_id: 4_711 });
    await eventually(() => expect(gone.text).toContain('"error":"soul_not_found"'));
  });
});

it("SSE streams count towards the 64 sockets and streams of an address", async () => {
  const hub = await startChatHub({ config: { rateLimits: true } });
  const room = await openRoom(await hub.vip("vera"));
  const input = encodeURIComponent(JSON.stringify(room));
  const leaving = new AbortController();
  // tRPC streams every subscription, whatever the Accept header is.
  const open = (headers: Record<string, string> = {}) =>
    fetch(`${hub.url}/trpc/rooms.live?input=${input}`, { headers, signal: leaving.signal });
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`);
  await once(socket, "open");
  const streams = await Promise.all(
    Array.from({ length: 63 }, (_, n) => open(n % 2 ? {} : { accept: "text/event-stream" })),
  );
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await open();
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect(await refused.text()).toContain('"error":"rate_limited"');
  socket.terminate();
  await eventually(async () => expect((await open()).status).toBe(200));
  leaving.abort();
  await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(0));
  await hub.close();
});

it("SSE streams end when the hub stops", async () => {
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
