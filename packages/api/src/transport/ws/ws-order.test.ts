import { once } from "node:events";
import { beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { roomKey } from "../../chat/rows/room-key.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName } from "../../testing/chat-hub.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

interface Said {
  id: number | string;
  result?: { type?: string; data?: { data?: { type?: string; text?: string } } };
  error?: { data: { error: string } };
}

describeHub("the messages of a socket", {}, (hub) => {
  let ada: Actor;
  let room: RoomName;
  beforeAll(async () => {
    ada = await hub.member("ada");
    room = await openRoom(ada);
  });

  const open = async () => {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`);
    const said: Said[] = [];
    socket.on("message", (data) => said.push(JSON.parse(String(data))));
    await once(socket, "open");
    const tell = (message: object) => socket.send(JSON.stringify(message));
    const subscribe = async (id: number | string) => {
      tell({ id, method: "subscription", params: { path: "rooms.live", input: room } });
      await eventually(() =>
        expect(said.filter((one) => one.id === id).map(typeOf)).toContain("sync"),
      );
    };
    return { socket, said, tell, subscribe, [Symbol.dispose]: () => socket.terminate() };
  };
  const typeOf = ({ result, error }: Said) =>
    error ? "error" : (result?.data?.data?.type ?? result?.type);
  /** Sends a room event in every turn of the event loop until the returned function is called. */
  const chatter = () => {
    const question = { reply_id: `r${Math.random()}`, sender_name: "ada", content: "?" };
    const reply = hub.hub.rooms.startReply(roomKey(room), question);
    let isOver = false;
    const next = () => {
      reply.delta("x");
      reply.flush();
      if (!isOver) setImmediate(next);
    };
    next();
    return () => {
      isOver = true;
      reply.fail("cancelled");
    };
  };

  it("include none of a subscription after its `stopped`, and all of the next with its id", async () => {
    using one = await open();
    for (let round = 1; round <= 10; round++) {
      await one.subscribe(7);
      const enough = chatter();
      await eventually(() => expect(typeOf(one.said.at(-1) as Said)).toBe("reply-delta"));
      one.tell({ id: 7, method: "subscription.stop" });
      await eventually(() => expect(one.said.map(typeOf)).toContain("stopped"));
      enough();
      one.tell({ id: 8, method: "query", params: { path: "souls.list", input: {} } });
      await eventually(() => expect(one.said.some(({ id }) => id === 8)).toBe(true));
      const own = one.said.splice(0).filter(({ id }) => id === 7);
      expect(typeOf(own[0] as Said)).toBe("started");
      expect(own.map(typeOf).indexOf("stopped")).toBe(own.length - 1);
    }
  });

  it("include none of a subscription after its error", async () => {
    const secret = await openRoom(ada);
    const quiet = room;
    room = secret;
    using one = await open();
    await one.subscribe("a");
    const enough = chatter();
    await ada.put(`/api/soul/${secret.soul_id}`, { is_public: 0 });
    await eventually(() => expect(one.said.map(typeOf)).toContain("error"));
    enough();
    room = quiet;
    one.tell({ id: 8, method: "query", params: { path: "souls.list", input: {} } });
    await eventually(() => expect(one.said.some(({ id }) => id === 8)).toBe(true));
    const own = one.said.filter(({ id }) => id === "a");
    expect(own.map(typeOf).slice(own.map(typeOf).indexOf("error"))).toEqual(["error", "stopped"]);
    expect(own.find(({ error }) => error)?.error?.data.error).toBe("soul_not_found");
  });

  it("include the events of its own call before the response", async () => {
    using one = await open();
    await one.subscribe(1);
    const input = { ...room, content: "Good evening." };
    one.tell({ id: 2, method: "mutation", params: { path: "chat.send", input } });
    await eventually(() => expect(one.said.map(({ id }) => id)).toContain(2));
    // The room's title, read from its first message, may come at any time.
    const order = one.said.map(typeOf).filter((type) => type !== "changed" && type !== "presence");
    expect(order.slice(-4)).toEqual(["message", "message", "reply-done", "data"]);
  });

  it("include each event once and in order for every subscription of a room", async () => {
    using one = await open();
    const ids = [1, 2, "three", 4];
    for (const id of ids) await one.subscribe(id);
    const enough = chatter();
    await eventually(() => expect(one.said.length).toBeGreaterThan(400));
    enough();
    await eventually(() =>
      expect(one.said.filter((said) => typeOf(said) === "reply-failed")).toHaveLength(4),
    );
    const received = ids.map((id) =>
      one.said
        .filter((said) => said.id === id && typeOf(said)?.startsWith("reply-"))
        .map(({ result }) => result?.data),
    );
    const [first, ...others] = received;
    for (const other of others) expect(other).toEqual(first);
  });

  it("carry texts of every length", async () => {
    const lengths = [0, 1, 20, 125, 126, 4_000, 65_400, 65_535, 65_536, 199_000];
    await using visitor = joinAs(hub, ada, { ...room, session_token: "lengths" });
    await eventually(() => expect(visitor.types).toContain("sync"));
    const key = roomKey({ ...room, session_token: "lengths" });
    const lines = lengths.flatMap((length) => ["x", "é", "🦉"].map((sign) => sign.repeat(length)));
    const line = { role: "user" as const, sender_name: "ada" };
    for (const [at, content] of lines.entries()) {
      hub.hub.rooms.publishMessages(key, [
        { ...line, id: at + 1, prev_id: at, parent_id: at || null, content },
      ]);
      await eventually(() => expect(visitor.ids).toHaveLength(at + 1));
    }
    expect(visitor.of("message").map(({ content }) => content)).toEqual(lines);
  });
});
