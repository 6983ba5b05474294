import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../testing/raw-request.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";

describe("requests that Node would answer itself", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub();
  });
  afterAll(() => hub.close());

  const h2c = [
    "Upgrade: h2c",
    "Connection: Upgrade, HTTP2-Settings, close",
    "HTTP2-Settings: AAMAAABk",
  ];

  it("an offer to speak HTTP/2 is an ordinary request", async () => {
    const answer = await rawRequest(hub, ["GET /healthz HTTP/1.1", "Host: hub", ...h2c]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('"status":"ok"');
  });

  it("and so is one with a body", async () => {
    const body = JSON.stringify({ username: "ada", password: "correct horse", email: "a@b.org" });
    const answer = await rawRequest(
      hub,
      [
        "POST /api/register HTTP/1.1",
        "Host: hub",
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
    ["that expects something odd", ["Host: hub", "Expect: a-miracle"]],
  ])("one %s gets the failure body", async (_, headers) => {
    const answer = await rawRequest(hub, [
      "GET /healthz HTTP/1.1",
      ...headers,
      "Connection: close",
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nx-request-id: [\w-]{8,64}\r\n/i);
    expect(answer).toContain('{"success":false,"error":"bad_request"');
  });

  it("HTTP/1.0 needs no Host", async () => {
    expect(await rawRequest(hub, ["GET /healthz HTTP/1.0"])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
