import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { createApiKey } from "../../accounts/api-key.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { rawRequest } from "../../testing/requests/raw-request.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

const MAX_SOCKETS = 64;
const UPGRADE = [
  "GET /trpc HTTP/1.1",
  "Host: localhost",
  "Connection: Upgrade",
  "Upgrade: websocket",
];
const HANDSHAKE = ["Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${"A".repeat(22)}==`];

describeHub("an upgrade", {}, (hub) => {
  it("does not end the hub if its client has reset the connection", async () => {
    const { port, hostname } = new URL(hub.url);
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      socket.write(`${[...UPGRADE, ...HANDSHAKE].join("\r\n")}\r\n\r\n`);
      socket.resetAndDestroy();
      await once(socket, "close");
    }
    expect((await hub.guest().get("/healthz")).status).toBe(200);
  });
});

/** Decisions §6: which upgrade requests are refused. */
describeHub("an upgrade is refused", { config: { rateLimits: true } }, (hub) => {
  /** Opens a WebSocket. `status` is that of the refusal, or 101 if the socket is open. */
  const open = async (headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc`, { headers });
    socket.on("error", () => undefined);
    const refused = once(socket, "unexpected-response").then(([, response]) => response);
    const response = await Promise.race([once(socket, "open").then(() => null), refused]);
    return { socket, status: response?.statusCode ?? 101, headers: response?.headers ?? {} };
  };

  it.each(["Bearer", "Bearer shk_wrong", `Bearer ${createApiKey().slice(0, -1)}`, "Basic YTpi"])(
    "with %j: 401",
    async (authorization) => {
      const { status, headers } = await open({ authorization });
      expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
      expect(headers["x-request-id"]).toMatch(/^[\w-]{8,64}$/);
    },
  );

  it.each([createApiKey(), ADMIN_TOKEN])("but not with the valid token %s", async (token) => {
    const { status, socket } = await open({ authorization: `Bearer ${token}` });
    socket.terminate();
    expect(status).toBe(101);
  });

  it.each([
    ["with half a handshake", UPGRADE],
    ["without a Host", [...UPGRADE.filter((line) => !line.startsWith("Host")), ...HANDSHAKE]],
  ])("%s, with the hub's error body", async (_, lines) => {
    const answer = await rawRequest(hub, lines);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const [, requestId] = /\r\nX-Request-Id: (\S+)\r\n/.exec(answer) ?? [];
    expect(answer).toContain(`"error":"bad_request"`);
    expect(answer).toContain(`"request_id":"${requestId}"`);
  });

  it("for an address with 64 sockets, until one of them closes", async () => {
    const held = await Promise.all(Array.from({ length: MAX_SOCKETS }, () => open()));
    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([101]));
    const { status, headers } = await open();
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([429, true]);
    held[0]?.socket.terminate();
    await eventually(async () => {
      const next = await open();
      next.socket.terminate();
      expect(next.status).toBe(101);
    });
    for (const { socket } of held) socket.terminate();
  });
});
