import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../app.ts";
import { eventually } from "../../testing/eventually.ts";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "../../testing/test-hub.ts";

describe("open connections", () => {
  let test: TestHub;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    test = await startTestHub({ config: { rateLimits: true } });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await test.close();
  });

  /** Opens connections. Returns a function that counts the connections which are still open. */
  async function open(count: number, port: number, from: string): Promise<() => number> {
    const opened = Array.from({ length: count }, () =>
      connect({ port, host: "127.0.0.1", localAddress: from }).on("error", () => {}),
    );
    sockets.push(...opened);
    await Promise.all(opened.map((socket) => once(socket, "connect")));
    return () => opened.filter((socket) => !socket.closed).length;
  }

  it("are limited to 256 per address, and other addresses are served", async () => {
    const port = Number(new URL(test.url).port);
    const left = await open(300, port, "127.0.0.2");
    for (const socket of sockets) socket.resume();
    await eventually(() => expect(left()).toBe(256));
    expect((await test.guest().get("/healthz")).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => {
      const again = await open(1, port, "127.0.0.2");
      expect((await test.guest().get("/healthz")).status).toBe(200);
      expect(again()).toBe(1);
    });
    const metrics = await test.guest().get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect(metrics.text).toMatch(/^soulhub_refused_connections_total 4[4-9]$/m);
  });

  it("are limited in total, and a trusted proxy has no limit of its own", async () => {
    const options = { maxConnections: 20, trustProxy: ["127.0.0.3"] };
    const app = await createApp(test.hub, options);
    const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const ofOneClient = await open(10, Number(port), "127.0.0.2");
    const ofProxy = await open(20, Number(port), "127.0.0.3");
    for (const socket of sockets) socket.resume();
    await eventually(() => expect([ofOneClient(), ofProxy()]).toEqual([5, 15]));
    for (const socket of sockets.splice(0)) socket.destroy();
    app.server.close();
  });
});

it("requests whose headers or body do not arrive completely end after their time limits", async () => {
  await using test = await startTestHub();
  const app = await createApp(test.hub);
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([15_000, 60_000]);
  Object.assign(app.server, { headersTimeout: 200, requestTimeout: 400 });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const head = "POST /api/register HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n";
  const ended = [head, `${head}Content-Type: application/json\r\n\r\n{`].map(async (bytes) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    await once(socket, "close");
    return text.split("\r\n")[0];
  });
  // By default Node looks for timed-out connections only every 30 s. The hub looks more often, so
  // the connections close within 20 s.
  const within = new Promise((resolve) => setTimeout(resolve, 20_000, "too late").unref());
  expect(await Promise.race([Promise.all(ended), within])).toEqual([
    "HTTP/1.1 400 Bad Request",
    "HTTP/1.1 400 Bad Request",
  ]);
  app.server.close();
}, 60_000);
