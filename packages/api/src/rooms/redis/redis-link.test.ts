import { type AddressInfo, createServer } from "node:net";
import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { freePort, startRedis } from "../../testing/own-redis.ts";
import type { BusMessage } from "../room-bus.ts";
import { openLink, ownPrefix } from "./redis.fixture.ts";
import { RedisDownError } from "./redis-link.ts";
import { redisRoomBus } from "./redis-room-bus.ts";

const typing = (from: string, name: string): BusMessage => ({
  kind: "passing",
  from,
  after: 0,
  event: { type: "typing", sender_name: name },
});
const namesOf = (heard: BusMessage[]) =>
  heard.map((message) => message.kind === "passing" && JSON.stringify(message.event));

/** Somebody who answers everything with this, as what is no Redis does, or an old one. */
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
  it("is told by a code: nobody listens, no Redis, an old one", async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    await expect(openLink({ url })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await using web = await answering("HTTP/1.1 400 Bad Request\r\n\r\n");
    await expect(openLink({ url: web.url })).rejects.toMatchObject({ code: "NOT_REDIS" });
    await using old = await answering("-ERR unknown command 'HELLO'\r\n");
    await expect(openLink({ url: old.url })).rejects.toMatchObject({ code: "REDIS_TOO_OLD" });
  });
});

const { redisServer } = inject("services");

describe.skipIf(!redisServer).concurrent("a Redis of our own", () => {
  it("refuses a wrong password, and takes the right one", async () => {
    await using redis = await startRedis("--requirepass", "secret");
    await expect(openLink({ url: redis.url })).rejects.toMatchObject({ code: "WRONGPASS" });
    const named = (password: string) => redis.url.replace("//", `//:${password}@`);
    const wrong = openLink({ url: named("guess") });
    await expect(wrong).rejects.toMatchObject({ code: "WRONGPASS" });
    await (await openLink({ url: named("secret") })).close();
  });

  it("that is killed and comes back is joined again: told of once, and then of the gap", async () => {
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
    const heard: BusMessage[] = [];
    const hear = (message: BusMessage) => void heard.push(message);
    await bus.subscribe("early", hear);
    const leave = await bus.subscribe("left", hear);
    const gap = new Promise<void>((resolve) => bus.onGap(resolve));

    await redis.kill();
    await eventually(() => expect(link.isUp).toBe(false));
    // Meanwhile: our own people hear, others don't, and nobody waits.
    expect(await bus.publish("early", typing("n1", "own"))).toBe(false);
    await expect(link.run((client) => client.ping())).rejects.toThrow(RedisDownError);
    await bus.subscribe("late", hear);
    await leave();
    expect(namesOf(heard)).toHaveLength(1);

    await redis.start();
    await gap;
    expect(told).toEqual(["down", "up"]);
    await eventually(() => expect(other.isUp).toBe(true));
    await otherBus.publish("left", typing("n2", "left"));
    await otherBus.publish("early", typing("n2", "early"));
    await otherBus.publish("late", typing("n2", "late"));
    await eventually(() => expect(heard).toHaveLength(3));
    expect(heard.slice(1)).toEqual([typing("n2", "early"), typing("n2", "late")]);
    await Promise.all([link.close(), other.close()]);
  });

  it("that hangs keeps nobody waiting, and is found out", async () => {
    await using redis = await startRedis();
    const link = await openLink({ url: redis.url });
    redis.freeze();
    await expect(link.run((client) => client.ping())).rejects.toThrow(RedisDownError);
    await eventually(() => expect(link.isUp).toBe(false));
    redis.thaw();
    await eventually(() => expect(link.isUp).toBe(true));
    await link.close();
  });

  it("that refuses what it is asked is complained of, and done without", async () => {
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
