import { type AddressInfo, createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { freePort } from "../../testing/servers/free-port.ts";
import { startRedis } from "../../testing/servers/own-redis.ts";
import type { BusMessage } from "../bus/room-bus.ts";
import { openLink, ownPrefix } from "./redis.fixture.ts";
import { RedisDownError } from "./redis-link.ts";
import { redisRoomBus } from "./redis-room-bus.ts";

const typing = (from: string, name: string): BusMessage => ({
  kind: "transient",
  from,
  after: 0,
  event: { type: "typing", sender_name: name },
});
const namesOf = (received: BusMessage[]) =>
  received.map((message) => message.kind === "transient" && JSON.stringify(message.event));

/** Starts a server that answers every command with `answer`. */
async function answering(answer: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", () => socket.write(answer));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe("a Redis that can't be used", () => {
  it("is reported by a code: connection refused, not Redis, too old", async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    await expect(openLink({ url })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await using web = await answering("HTTP/1.1 400 Bad Request\r\n\r\n");
    await expect(openLink({ url: web.url })).rejects.toMatchObject({ code: "NOT_REDIS" });
    await using old = await answering("-ERR unknown command 'HELLO'\r\n");
    await expect(openLink({ url: old.url })).rejects.toMatchObject({ code: "REDIS_TOO_OLD" });
  });
});

const { redis, redisServer } = inject("services");

it.skipIf(!redis)("an answer that arrived while this process was paused is read", async () => {
  const link = await openLink();
  const answer = link.run((client) => client.ping());
  // The client writes the command in the next turn of the event loop.
  await turn();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(pause, 0, 0, 1_500);
  expect(await answer).toBe("PONG");
  await link.close();
});

describe.skipIf(!redisServer).concurrent("a Redis of our own", () => {
  it("rejects a wrong password, and accepts the right one", async () => {
    await using redis = await startRedis("--requirepass", "secret");
    await expect(openLink({ url: redis.url })).rejects.toMatchObject({ code: "WRONGPASS" });
    const named = (password: string) => redis.url.replace("//", `//:${password}@`);
    const wrong = openLink({ url: named("guess") });
    await expect(wrong).rejects.toMatchObject({ code: "WRONGPASS" });
    await (await openLink({ url: named("secret") })).close();
  });

  it("that is killed and restarted is reported once, then the gap", async () => {
    await using redis = await startRedis();
    const told: string[] = [];
    const options = { url: redis.url };
    const link = await openLink({
      ...options,
      onDown: () => told.push("down"),
      onUp: () => told.push("up"),
    });
    const other = await openLink(options);
    const onError = (error: unknown) => expect.fail(`${error}`);
    const prefix = ownPrefix();
    const bus = redisRoomBus({ link, prefix, nodeId: "n1", onError });
    const otherBus = redisRoomBus({ link: other, prefix, nodeId: "n2", onError });
    const received: BusMessage[] = [];
    const receive = (message: BusMessage) => void received.push(message);
    await bus.subscribe("early", receive);
    const leave = await bus.subscribe("left", receive);
    const gap = new Promise<void>((resolve) => bus.onGap(resolve));

    await redis.kill();
    await eventually(() => expect(link.isUp).toBe(false));
    // While Redis is down, a message reaches only this server's listeners, without delay.
    expect(await bus.publish("early", typing("n1", "own"))).toBe(false);
    await expect(link.run((client) => client.ping())).rejects.toThrow(RedisDownError);
    await bus.subscribe("late", receive);
    await leave();
    expect(namesOf(received)).toHaveLength(1);

    await redis.start();
    await gap;
    expect(told).toEqual(["down", "up"]);
    await eventually(() => expect(other.isUp).toBe(true));
    await otherBus.publish("left", typing("n2", "left"));
    await otherBus.publish("early", typing("n2", "early"));
    await otherBus.publish("late", typing("n2", "late"));
    await eventually(() => expect(received).toHaveLength(3));
    expect(received.slice(1)).toEqual([typing("n2", "early"), typing("n2", "late")]);
    await Promise.all([link.close(), other.close()]);
  });

  it("that hangs delays no caller, and counts as down", async () => {
    await using redis = await startRedis();
    const link = await openLink({ url: redis.url });
    redis.freeze();
    await expect(link.run((client) => client.ping())).rejects.toThrow(RedisDownError);
    await eventually(() => expect(link.isUp).toBe(false));
    redis.thaw();
    await eventually(() => expect(link.isUp).toBe(true));
    await link.close();
  });

  it("that sends errors is reported, and the fallback is used", async () => {
    await using redis = await startRedis();
    const refused: unknown[] = [];
    const link = await openLink({ url: redis.url, onRefused: (error) => refused.push(error) });
    const ask = () => link.run((client) => client.sendCommand<string>(["NO-SUCH-COMMAND"]));
    expect(await link.or(ask(), "done without")).toBe("done without");
    expect(await link.or(ask(), "done without")).toBe("done without");
    expect(refused.map(String)).toEqual([expect.stringContaining("unknown command")]);
    await link.close();
  });
});
