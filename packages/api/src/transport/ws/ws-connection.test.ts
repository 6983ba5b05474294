import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { eventually } from "../../testing/eventually.ts";
import { WsConnection } from "./ws-connection.ts";
import { textFrames } from "./ws-frames.ts";

/**
 * Length of a long text. A few such texts fill the kernel's buffers if the client does not read.
 */
const LONG = 200_000;
const frames = (...texts: string[]) => textFrames("", texts, "");

describe("encoded frames", () => {
  let server: Server;
  const upgraded: Socket[] = [];
  const opened: WsConnection[] = [];
  beforeAll(async () => {
    server = createServer().listen(0, "127.0.0.1");
    const options = { noServer: true, WebSocket: WsConnection, perMessageDeflate: false };
    const wss = new WebSocketServer(options);
    server.on("upgrade", (request, duplex, head) => {
      wss.handleUpgrade(request, duplex, head, (socket) => {
        const line = duplex as Socket;
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
    const received: string[] = [];
    client.on("message", (data) => received.push(String(data)));
    client.on("error", () => undefined);
    await once(client, "open");
    const [socket, line] = [opened.pop(), upgraded.pop()] as [WsConnection, Socket];
    return { client, socket, line, received, [Symbol.dispose]: () => client.terminate() };
  };
  /**
   * Writes the text repeatedly until the socket buffers bytes.
   * @returns the number of writes
   */
  const fill = (socket: WsConnection, text: string) => {
    let written = 0;
    for (; socket.bufferedAmount === 0; written++) socket.write(frames(text));
    return written;
  };

  it("arrive once, in order with the library's own frames, however the client reads", async () => {
    using reader = await connect();
    const { client, socket, line, received } = reader;
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
    await eventually(() => expect(received).toHaveLength(said.length));
    expect(received.every((text, n) => text === said[n])).toBe(true);
    expect(line.bytesWritten - before).toBe(bytes);
    expect(socket.bufferedAmount).toBe(0);
  });

  it("count as buffered until they are sent, then call each drain listener once", async () => {
    using reader = await connect();
    const { client, socket, received } = reader;
    client.pause();
    const text = "x".repeat(LONG);
    const written = fill(socket, text);
    // A text counts as buffered in full until its last byte is sent.
    expect(socket.bufferedAmount).toBe(frames(text).byteLength);
    socket.write(frames("y"));
    expect(socket.bufferedAmount).toBe(frames(text).byteLength + frames("y").byteLength);
    let calls = 0;
    for (let n = 0; n < 3; n++) socket.onDrain(() => calls++);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toBe(0);
    client.resume();
    await eventually(() => expect(calls).toBe(3));
    expect(socket.bufferedAmount).toBe(0);
    await eventually(() => expect(received).toHaveLength(written + 1));
    expect(received.at(-1)).toBe("y");
  });

  it("are dropped with their socket, and no other socket is affected", async () => {
    using other = await connect();
    using reader = await connect();
    const { client, socket, line } = reader;
    for (const { client } of [other, reader]) client.pause();
    const written = fill(other.socket, "x".repeat(LONG));
    fill(socket, "x".repeat(LONG));
    socket.onDrain(() => expect.unreachable());
    const closed = once(socket, "close");
    client.terminate();
    await closed;
    expect(line.destroyed).toBe(true);
    expect(socket.bufferedAmount).toBe(0);
    // The socket is closed, so this write is ignored and its drain listener is never called.
    socket.write(frames("y"));
    socket.onDrain(() => expect.unreachable());
    other.client.resume();
    await eventually(() => expect(other.received).toHaveLength(written));
    expect(other.socket.bufferedAmount).toBe(0);
  });
});
