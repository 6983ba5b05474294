import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { PASSWORD, startTestHub, type TestHub } from "../testing/test-hub.ts";

describe("ETag on public reads", () => {
  let hub: TestHub;
  let ada: Actor;
  let path: string;
  beforeAll(async () => {
    hub = await startTestHub();
    ada = await hub.member("ada");
    const { body } = await ada.post("/api/souls", { title: "One", content: "text" });
    path = `/api/soul/${body.id}`;
  });
  afterAll(() => hub.close());

  const tagOf = async () => (await hub.guest().get(path)).headers.get("etag") ?? "";

  it.each([
    (tag: string) => tag,
    (tag: string) => `W/${tag}`,
    (tag: string) => `"x", ${tag}`,
    () => "*",
  ])("answers 304 without a body to whoever holds it", async (header) => {
    const { status, text, headers } = await hub
      .guest()
      .get(path, { "if-none-match": header(await tagOf()) });
    expect([status, text]).toEqual([304, ""]);
    expect(headers.get("cache-control")).toBe("no-cache");
  });

  it("answers anew when something changed", async () => {
    const before = await tagOf();
    await ada.put(path, { title: "Two" });
    const { status, body, headers } = await hub.guest().get(path, { "if-none-match": before });
    expect([status, body.data.title]).toEqual([200, "Two"]);
    expect(headers.get("etag")).not.toBe(before);
  });

  it("is not given where a credential was used: no-store", async () => {
    const browser = hub.guest();
    await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
    for (const caller of [ada, browser]) {
      const { headers } = await caller.get(path);
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
    }
  });

  it.each(["/api/chat-quota", "/api/chat-sync?soul_id=1&session_token=s"])(
    "is not given for what is each guest's own: %s",
    async (own) => {
      const { headers } = await hub.guest().get(own);
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
    },
  );
});
