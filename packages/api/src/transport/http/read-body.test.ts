import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

const UPLOAD_BYTES = 6 * 1024 * 1024 - 1024;

describe("request bodies that do not arrive completely", () => {
  let hub: TestHub;
  let ada: Actor;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    hub = await startTestHub({ config: { rateLimits: true } });
    ada = await hub.vip("ada");
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await hub.close();
  });

  /** Sends the headers of a chat request, and its body without the last byte. */
  async function upload(from: string): Promise<{ text: string; socket: Socket }> {
    const { port, host } = new URL(hub.url);
    const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: from });
    sockets.push(socket);
    const answer = { text: "", socket };
    socket
      .on("error", () => {})
      .on("data", (data) => {
        answer.text += data;
      });
    await once(socket, "connect");
    socket.write(
      [
        "POST /api/chat HTTP/1.1",
        `Host: ${host}`,
        `Authorization: Bearer ${ada.apiKey}`,
        "Content-Type: application/json",
        `Content-Length: ${UPLOAD_BYTES}`,
        "\r\n",
      ].join("\r\n"),
    );
    socket.write(Buffer.alloc(UPLOAD_BYTES - 1, "["));
    return answer;
  }

  it("are refused beyond 24 MiB per address, and bodies of other addresses are still read", async () => {
    const uploads = await Promise.all(Array.from({ length: 6 }, () => upload("127.0.0.1")));
    await eventually(() => {
      const refused = uploads.filter(({ text }) => text.includes("429 Too Many Requests"));
      expect(refused.length).toBeGreaterThanOrEqual(2);
    });
    const other = await upload("127.0.0.2");
    other.socket.write("x");
    await eventually(() => expect(other.text).toContain("400 Bad Request"));
    // After the clients disconnect, their bytes no longer count towards the limit of incomplete
    // bodies.
    for (const { socket } of uploads) socket.destroy();
    await eventually(async () => {
      const { status } = await ada.post("/api/chat", { content: "x".repeat(1_000_000) });
      expect(status).toBe(400);
    });
  });

  it("write no error line when the client disconnects", async () => {
    hub.log.length = 0;
    const { socket } = await upload("127.0.0.3");
    await eventually(() => expect(socket.bytesWritten).toBeGreaterThan(UPLOAD_BYTES - 1));
    socket.destroy();
    for (let n = 0; n < 5; n++) await hub.guest().get("/healthz");
    expect(hub.log).toHaveLength(5);
    expect(hub.log.map((line) => JSON.parse(line).level).filter((level) => level > 30)).toEqual([]);
  });
});
