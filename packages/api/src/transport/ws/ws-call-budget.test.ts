import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openRoom } from "../../testing/chat-hub.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { AddressBudgets, CallBudget, callsInBytes } from "./ws-call-budget.ts";

const RULE = { burst: 10, perTick: 2 };

describe("a call budget", () => {
  it("is refilled by ticks up to the burst, and may be overdrawn once", () => {
    const clock = { ticks: 0 };
    const budget = new CallBudget(clock, RULE);
    budget.spend(9);
    expect(budget.isSpent).toBe(false);
    budget.spend(5);
    expect(budget.isSpent).toBe(true);
    clock.ticks = 2;
    expect(budget.isSpent).toBe(true);
    clock.ticks = 3;
    expect(budget.isSpent).toBe(false);
    clock.ticks = 1_000;
    budget.spend(10);
    expect(budget.isSpent).toBe(true);
  });

  it("of an address outlives its sockets until it is full again", () => {
    const clock = { ticks: 0 };
    const budgets = new AddressBudgets(clock, RULE);
    budgets.hold("a").spend(20);
    budgets.release("a");
    budgets.sweep();
    expect([budgets.isSpent("a"), budgets.isSpent("b")]).toEqual([true, false]);
    clock.ticks = 100;
    budgets.sweep();
    expect(budgets.hold("a").isFull).toBe(true);
  });

  it("is shared by all sockets of an address, also by those opened after it was full", () => {
    const budgets = new AddressBudgets({ ticks: 0 }, RULE);
    const first = budgets.hold("a");
    budgets.sweep();
    expect(budgets.hold("a")).toBe(first);
  });

  it("counts a large frame as several calls", () => {
    expect([0, 100, 2_048, 2_049, 65_536].map(callsInBytes)).toEqual([1, 1, 1, 2, 32]);
  });
});

/** Limits of calls (decisions §6, Sockets). */
describeHub("a client that sends batches of calls", { config: { rateLimits: true } }, (hub) => {
  const connect = async (localAddress = "127.0.0.1") => {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`, { localAddress });
    socket.on("error", () => undefined);
    const responses: unknown[] = [];
    socket.on("message", (data) => responses.push(data));
    const closed = new Promise((resolve) =>
      socket.once("close", (code, reason) => resolve([code, String(reason)])),
    );
    const refused = once(socket, "unexpected-response").then(([, response]) => response.statusCode);
    const status = await Promise.race([once(socket, "open").then(() => 101), refused]);
    return { socket, responses, closed, status: status as number };
  };
  const call = (id: number) => ({ id, method: "query", params: { path: "accounts.me" } });
  const batch = JSON.stringify(Array.from({ length: 64 }, (_, id) => call(id)));

  it("is disconnected when its socket has spent its calls", async () => {
    const { socket, responses, closed } = await connect("127.0.0.2");
    for (let n = 0; n < 20; n++) socket.send(batch);
    expect(await closed).toEqual([1008, "too many calls"]);
    expect(responses.length).toBeLessThanOrEqual(3 * 64);
  });

  it("is disconnected when it sends more than 50 pings in a second", async () => {
    const { socket, closed } = await connect("127.0.0.4");
    for (let n = 0; n < 120; n++) socket.ping();
    expect(await closed).toEqual([1008, "too many frames"]);
  });

  it("is disconnected when its address has spent its calls, and is refused until they refill", async () => {
    const other = await hub.member("ada");
    const room = await openRoom(other);
    const sockets = await Promise.all(Array.from({ length: 16 }, () => connect("127.0.0.3")));
    for (const { socket } of sockets) {
      // Each socket may send two batches of 64 calls. Together, the sockets exceed the budget of
      // their address.
      socket.send(batch);
      socket.send(batch);
    }
    await eventually(async () => expect((await connect("127.0.0.3")).status).toBe(429));
    const all = sockets.flatMap(({ responses }) => responses);
    expect(all.length).toBeLessThanOrEqual(256 + 64);
    await using visitor = joinAs(hub, other, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    await eventually(async () => {
      const { status, socket } = await connect("127.0.0.3");
      expect(status).toBe(101);
      socket.terminate();
    });
    for (const { socket } of sockets) socket.terminate();
  });
});
