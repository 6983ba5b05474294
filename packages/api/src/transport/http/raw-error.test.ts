import { once } from "node:events";
import { connect } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp } from "../../app.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

let test: TestHub;
beforeAll(async () => {
  test = await startTestHub();
});
afterAll(() => test.close());

/**
 * Node's HTTP server keeps a connection open until the client has closed its side, too. The hub
 * therefore closes such a connection after a time limit.
 */
it.each([
  ["bytes that are not HTTP", ["not HTTP"]],
  ["CONNECT", ["CONNECT example.org:443 HTTP/1.1", "Host: localhost"]],
  [
    "a refused upgrade",
    ["GET /no HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"],
  ],
])("a client that does not close its side loses its connection after %s", async (_, lines) => {
  const app = await createApp(test.hub);
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {}).resume();
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await once(socket, "end");
  const countConnections = promisify(app.server.getConnections.bind(app.server));
  await eventually(async () => expect(await countConnections()).toBe(0));
  socket.destroy();
  app.server.close();
});
