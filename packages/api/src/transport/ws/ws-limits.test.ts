import { once } from "node:events";
import type { Socket } from "node:net";
import { beforeAll, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { roomKey } from "../../chat/rows/room-key.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom } from "../../testing/chat-hub.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

const ANSWERS = 60;

/** Decisions §6, Sockets: a silent or stuck client is disconnected, and no other client is affected. */
describeHub("a socket is disconnected", {}, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
  });

  const connect = async (options = {}) => {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`, options);
    socket.on("error", () => undefined);
    const upgraded = once(socket, "upgrade");
    const closed = once(socket, "close").then(([code]) => code as number);
    await once(socket, "open");
    const [{ socket: line }] = (await upgraded) as [{ socket: Socket }];
    return { socket, line, closed };
  };
  const ask = (socket: WebSocket, path: string, input: object) =>
    socket.send(JSON.stringify({ id: 1, method: "query", params: { path, input } }));

  it.concurrent("if it sends nothing for 10 s, unless it has sent a message", async () => {
    const silent = await connect();
    const quiet = await connect();
    ask(quiet.socket, "souls.list", {});
    expect(await silent.closed).toBe(1008);
    expect(quiet.socket.readyState).toBe(WebSocket.OPEN);
    quiet.socket.terminate();
  });

  it.concurrent("if it answers no ping", async () => {
    const deaf = await connect({ autoPong: false });
    const there = await connect();
    for (const { socket } of [deaf, there]) ask(socket, "souls.list", {});
    expect(await deaf.closed).toBe(1006);
    expect(there.socket.readyState).toBe(WebSocket.OPEN);
    there.socket.terminate();
  });

  it.concurrent("if it sends calls and never reads, although it sends pongs", async () => {
    const { body } = await ada.post("/api/souls", { title: "Long", content: "x".repeat(200_000) });
    const { socket, line, closed } = await connect();
    line.pause();
    const params = { path: "souls.read", input: { id: body.id } };
    const calls = Array.from({ length: ANSWERS }, (_, id) => ({ id, method: "query", params }));
    socket.send(JSON.stringify(calls));
    const alive = setInterval(() => socket.pong(), 500);
    // The client's TCP socket is paused, so it notices the close only when it writes a pong.
    await eventually(() => expect(line.destroyed || line.errored).toBeTruthy()).finally(() =>
      clearInterval(alive),
    );
    socket.terminate();
    await closed;
  });

  it.concurrent("if it subscribes and never reads, while other clients continue", async () => {
    const room = await openRoom(ada);
    await using other = joinAs(hub, ada, room);
    const { socket, line } = await connect();
    const params = { path: "rooms.live", input: room };
    socket.send(JSON.stringify({ id: 1, method: "subscription", params }));
    await once(socket, "message");
    await eventually(() => expect(hub.hub.rooms.counts().sessions).toBeGreaterThanOrEqual(2));
    line.pause();
    const alive = setInterval(() => socket.pong(), 500);
    const message = { role: "user" as const, sender_name: "ada", content: "x".repeat(100_000) };
    let id = 0;
    const talking = setInterval(() => {
      const messages = Array.from({ length: 10 }, () => ({
        ...message,
        parent_id: null,
        prev_id: id,
        id: ++id,
      }));
      hub.hub.rooms.publishMessages(roomKey(room), messages);
    }, 100);
    await vi
      .waitFor(() => expect(line.destroyed || line.errored).toBeTruthy(), 25_000)
      .finally(() => {
        clearInterval(alive);
        clearInterval(talking);
      });
    await eventually(() => expect(other.ids).toHaveLength(id));
    expect(other.connects).toBe(1);
    socket.terminate();
  });
});
