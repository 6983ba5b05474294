import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { eventually } from "../testing/eventually.ts";
import { findDirectWrite } from "./direct-write.ts";
import { HubSocket } from "./hub-socket.ts";
import { textFrames } from "./text-frames.ts";

/** So many of them are more than the system takes for a reader that has stopped. */
const LONG = 200_000;
const frames = (...texts: string[]) => textFrames("", texts, "");

/** Past the stream of the socket, or through it, where it is no plain one or Node is another. */
describe.each(["direct", "through the stream"])("ready frames, %s", (way) => {
  let server: Server;
  const upgraded: Socket[] = [];
  const opened: HubSocket[] = [];
  beforeAll(async () => {
    server = createServer().listen(0, "127.0.0.1");
    const options = { noServer: true, WebSocket: HubSocket, perMessageDeflate: false };
    const wss = new WebSocketServer(options);
    server.on("upgrade", (request, duplex, head) => {
      wss.handleUpgrade(request, duplex, head, (socket) => {
        const line = duplex as Socket;
        if (way !== "direct") Object.assign(line, { constructor: class extends Socket {} });
        socket.line = line;
        socket.on("error", () => undefined);
        upgraded.push(line);
        opened.push(socket);
      });
    });
    await once(server, "listening");
  });
  afterAll(() => server.close());

  const connect = async () => {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const heard: string[] = [];
    client.on("message", (data) => heard.push(String(data)));
    client.on("error", () => undefined);
    await once(client, "open");
    const [socket, line] = [opened.pop(), upgraded.pop()] as [HubSocket, Socket];
    return { client, socket, line, heard, [Symbol.dispose]: () => client.terminate() };
  };
  /** @returns how many texts it took until one had to wait */
  const fill = (socket: HubSocket, text: string) => {
    let written = 0;
    for (; socket.unsent === 0; written++) socket.write(frames(text));
    return written;
  };

  it("are in order with all else that is sent, however the reader reads, each once", async () => {
    using reader = await connect();
    const { client, socket, line, heard } = reader;
    const said: string[] = [];
    const before = line.bytesWritten;
    let bytes = 0;
    for (let n = 0; n < 400; n++) {
      if (n % 100 === 10) client.pause();
      if (n % 100 === 90) client.resume();
      const text = `${n} ${"x".repeat((n * 7_919) % LONG)}`;
      if (n % 3 === 0) socket.send(text);
      else socket.write(frames(text));
      bytes += frames(text).byteLength;
      said.push(text);
      if (n % 5 === 0) await new Promise(setImmediate);
    }
    await eventually(() => expect(heard).toHaveLength(said.length));
    expect(heard.every((text, n) => text === said[n])).toBe(true);
    expect(line.bytesWritten - before).toBe(bytes);
    expect(socket.unsent).toBe(0);
  });

  it("count as unsent until they are sent, and whoever waits for that hears it once", async () => {
    using reader = await connect();
    const { client, socket, heard } = reader;
    client.pause();
    const text = "x".repeat(LONG);
    const written = fill(socket, text);
    // What comes of one write is counted as a whole, as a stream does.
    expect(socket.unsent).toBe(frames(text).byteLength);
    socket.write(frames("y"));
    expect(socket.unsent).toBe(frames(text).byteLength + frames("y").byteLength);
    let calls = 0;
    for (let n = 0; n < 3; n++) socket.whenSent(() => calls++);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toBe(0);
    client.resume();
    await eventually(() => expect(calls).toBe(3));
    expect(socket.unsent).toBe(0);
    await eventually(() => expect(heard).toHaveLength(written + 1));
    expect(heard.at(-1)).toBe("y");
  });

  it("that nobody will read any more end with their socket, and no other", async () => {
    using other = await connect();
    using reader = await connect();
    const { client, socket, line } = reader;
    for (const { client } of [other, reader]) client.pause();
    const written = fill(other.socket, "x".repeat(LONG));
    fill(socket, "x".repeat(LONG));
    socket.whenSent(() => expect.unreachable());
    const closed = once(socket, "close");
    client.terminate();
    await closed;
    expect(line.destroyed).toBe(true);
    expect(socket.unsent).toBe(0);
    // Nobody is there, and nothing happens.
    socket.write(frames("y"));
    socket.whenSent(() => expect.unreachable());
    other.client.resume();
    await eventually(() => expect(other.heard).toHaveLength(written));
    expect(other.socket.unsent).toBe(0);
  });
});

it("nothing is written directly where this Node is not known", () => {
  expect(findDirectWrite("v25.0.0")).toBeUndefined();
  expect(findDirectWrite()).toBeDefined();
});
