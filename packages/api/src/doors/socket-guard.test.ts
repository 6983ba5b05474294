import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../testing/eventually.ts";
import { startTestHub } from "../testing/test-hub.ts";

const ANSWERS = 60;

it("cuts off who asks and asks and never reads, though it says that it is there", async () => {
  await using hub = await startTestHub();
  const ada = await hub.member("ada");
  const { body } = await ada.post("/api/souls", { title: "Long", content: "x".repeat(200_000) });
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`);
  socket.on("error", () => undefined);
  const upgraded = once(socket, "upgrade");
  await once(socket, "open");
  const [{ socket: line }] = (await upgraded) as [{ socket: Socket }];
  line.pause();
  const params = { path: "souls.read", input: { id: body.id } };
  const calls = Array.from({ length: ANSWERS }, (_, id) => ({ id, method: "query", params }));
  socket.send(JSON.stringify(calls));
  const alive = setInterval(() => socket.pong(), 500);
  const open = async () => (await hub.hub.metrics.openSockets.get()).values[0]?.value;
  expect(await open()).toBe(1);
  await eventually(async () => expect(await open()).toBe(0)).finally(() => clearInterval(alive));
  socket.terminate();
});
