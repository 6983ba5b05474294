import { expect, it } from "vitest";
import { describeHub } from "../../testing/describe-chat.ts";
import { rawRequest } from "../../testing/requests/raw-request.ts";
import { startTestHub } from "../../testing/test-hub.ts";

describeHub("requests for which Node has default responses", {}, (hub) => {
  const h2c = [
    "Upgrade: h2c",
    "Connection: Upgrade, HTTP2-Settings, close",
    "HTTP2-Settings: AAMAAABk",
  ];

  it("an offer of HTTP/2 is answered over HTTP/1.1", async () => {
    const answer = await rawRequest(hub, ["GET /healthz HTTP/1.1", "Host: localhost", ...h2c]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"status":"ok"');
  });

  it("an offer of HTTP/2 may have a body", async () => {
    const body = JSON.stringify({ username: "ada", password: "correct horse", email: "a@b.org" });
    const answer = await rawRequest(
      hub,
      [
        "POST /api/register HTTP/1.1",
        "Host: localhost",
        ...h2c,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ],
      body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"success":true');
  });

  it.each([
    ["without a Host", []],
    ["with two Host headers", ["Host: localhost", "host: localhost"]],
    ["with an unknown expectation", ["Host: localhost", "Expect: a-miracle"]],
  ])("a request %s gets an error with a body", async (_, headers) => {
    const answer = await rawRequest(hub, [
      "GET /healthz HTTP/1.1",
      ...headers,
      "Connection: close",
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nx-request-id: [\w-]{8,64}\r\n/i);
    expect(answer).toContain('{"success":false,"error":"bad_request"');
  });

  it("CONNECT gets 405 with Allow", async () => {
    const answer = await rawRequest(hub, ["CONNECT example.org:443 HTTP/1.1", "Host: localhost"]);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toContain("\r\nAllow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n");
    expect(answer).toContain('"error":"method_not_allowed"');
  });

  it("HTTP/1.0 needs no Host", async () => {
    expect(await rawRequest(hub, ["GET /healthz HTTP/1.0"])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

/** Tests the defence against DNS rebinding: the domain of a website may resolve to 127.0.0.1. */
describeHub("the Host header of a hub on loopback", {}, (hub) => {
  const ask = (host: string, more: string[] = ["GET /api/souls HTTP/1.1", "Connection: close"]) =>
    rawRequest(hub, [...more, `Host: ${host}`]);

  it.each(["localhost", "LOCALHOST:3000", "127.0.0.1", "127.0.0.1:80", "[::1]:3000"])(
    "may be %s",
    async (host) => expect(await ask(host)).toMatch(/^HTTP\/1\.1 200 OK\r\n/),
  );

  it.each(["evil.example", "evil.example:3000", "localhost.evil.example", "192.168.1.2"])(
    "may not be %s",
    async (host) => {
      const answer = await ask(host);
      expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
      expect(answer).toContain('"error":"misdirected_request"');
    },
  );

  it("is checked for WebSockets, too", async () => {
    const upgrade = ["GET /trpc HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"];
    expect(await ask("evil.example", upgrade)).toMatch(/^HTTP\/1\.1 421 /);
  });

  it("may be any name if BASE_URL is public, and every response asks for HTTPS", async () => {
    const baseUrl = "https://hub.example.org";
    await using publicHub = await startTestHub({ config: { baseUrl } });
    const asked = [
      rawRequest(publicHub, ["GET /api/souls HTTP/1.1", "Host: other", "Connection: close"]),
      rawRequest(publicHub, ["GET /nothing HTTP/1.1", "Host: other", "Connection: close"]),
      rawRequest(publicHub, ["not HTTP"]),
      rawRequest(publicHub, ["CONNECT a:1 HTTP/1.1", "Host: other"]),
      rawRequest(publicHub, [
        "GET / HTTP/1.1",
        "Host: a",
        "Connection: Upgrade",
        "Upgrade: websocket",
      ]),
    ];
    const answers = await Promise.all(asked);
    const HSTS = /\r\nstrict-transport-security: max-age=31536000\r\n/;
    for (const answer of answers) expect(answer).toMatch(HSTS);
    expect(answers.map((answer) => answer.split(" ")[1])).toEqual([
      "200",
      "404",
      "400",
      "405",
      "404",
    ]);
  });
});
