import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { describeChat } from "../../testing/describe-chat.ts";

/** Calls of `/mcp` count as calls of the other transports do (0009, 0054). */
describeChat("the rate limits of /mcp", { config: { rateLimits: true } }, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.vip("ada");
  });

  const post = async (body: object) => {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ada.apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    });
    await response.text();
    const left = Number(response.headers.get("ratelimit-remaining"));
    return { status: response.status, left };
  };
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  it("count each message of a batch", async () => {
    const before = await post(ping(1));
    const batch = await post(Array.from({ length: 20 }, (_, id) => ping(id)));
    expect(batch.status).toBe(200);
    const after = await post(ping(1));
    expect(before.left - after.left).toBeGreaterThanOrEqual(20);
  });

  it("refuse a batch that has more messages than the caller has calls left", async () => {
    const batch = await post(Array.from({ length: 1_300 }, (_, id) => ping(id)));
    expect(batch.status).toBe(429);
  });
});
