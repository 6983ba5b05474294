import { once } from "node:events";
import type { Socket } from "node:net";
import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { RoomEvent, RoomMessage } from "../../rooms/room-events.ts";
import type { Actor } from "../../testing/actor.ts";
import { lengthen, openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { roomKey } from "../rows/room-key.ts";

/**
 * Number of messages, which together exceed the kernel's buffer for a client that does not read.
 */
const LINES = 120;
const LINE_CHARS = 100_000;

/** A slow client delays no other client and misses no message (0017). */
describeChat("a slow client", {}, (hub) => {
  let vera: Actor;
  let room: RoomName;
  beforeAll(async () => {
    vera = await hub.vip("vera");
  });

  /** A raw socket that can stop reading. */
  const join = async () => {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`);
    const events: RoomEvent[] = [];
    socket.on("message", (data) => {
      const event = JSON.parse(String(data)).result?.data?.data;
      if (event) events.push(event);
    });
    const upgraded = once(socket, "upgrade");
    await once(socket, "open");
    const [{ socket: line }] = (await upgraded) as [{ socket: Socket }];
    const params = { path: "rooms.live", input: room };
    socket.send(JSON.stringify({ id: 1, method: "subscription", params }));
    await eventually(() => expect(events.map(({ type }) => type)).toContain("sync"));
    const of = <T extends RoomEvent["type"]>(type: T) =>
      events.filter((event): event is Extract<RoomEvent, { type: T }> => event.type === type);
    return { socket, line, of, [Symbol.dispose]: () => socket.terminate() };
  };

  /** Stores a message, then publishes it, in the same order as the chat. */
  const append = async () => {
    const { rows } = await sql<RoomMessage>`
      with last as (select * from chat_messages order by id desc limit 1), line as (
        insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
        select id + 1, room_id, id, 'user', sender, 'vera', repeat('x', ${LINE_CHARS}::int)
        from last returning id, prev_id, prev_id as parent_id, role, sender_name, content)
      select * from line`.execute(hub.hub.database.db);
    hub.hub.rooms.publishMessages(roomKey(room), rows);
  };

  it("does not get megabytes at once for a JSON-RPC id of 60 KB", async () => {
    room = await openRoom(vera);
    await say(vera, room, "Come in.");
    await lengthen(hub, 900);
    const newest = await hub.hub.database.db
      .selectFrom("chat_messages")
      .select(({ fn }) => fn.max("id").as("id"))
      .executeTakeFirstOrThrow();
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`);
    await once(socket, "open");
    socket.pause();
    const params = { path: "rooms.live", input: { ...room, last_id: newest.id - 800 } };
    socket.send(JSON.stringify({ id: "x".repeat(60_000), method: "subscription", params }));
    const unsent = () => hub.hub.metrics.sockets.unsentBytes();
    await eventually(() => expect(unsent()).toBeGreaterThan(64 * 1024));
    expect(unsent()).toBeLessThan(256 * 1024);
    socket.terminate();
    await eventually(() => expect(unsent()).toBe(0));
  });

  it("gets every message once and in order when it resumes, without deltas; other clients get all", async () => {
    room = await openRoom(vera);
    await say(vera, room, "Come in.");
    using slow = await join();
    using quick = await join();
    slow.line.pause();
    const question = { reply_id: "r", sender_name: "vera", content: "?" };
    const reply = hub.hub.rooms.startReply(roomKey(room), question);
    for (let line = 1; line <= LINES; line++) {
      await append();
      reply.delta(`${line} `);
      reply.flush();
      await eventually(() => expect(quick.of("reply-delta")).toHaveLength(line));
    }
    const ids = quick.of("message").map(({ id }) => id);
    expect(ids).toHaveLength(LINES + 2);
    expect(slow.of("message").length).toBeLessThan(LINES);
    slow.line.resume();
    await eventually(() => expect(slow.of("message").map(({ id }) => id)).toEqual(ids));
    expect(slow.of("reply-delta").length).toBeLessThan(LINES);
    // The slow client receives broadcast events again.
    reply.fail("cancelled");
    await eventually(() => {
      for (const one of [slow, quick]) expect(one.of("reply-failed")).toHaveLength(1);
    });
  });
});
