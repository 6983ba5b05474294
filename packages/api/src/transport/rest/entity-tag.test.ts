import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { readTwice, sharedReads } from "./shared-reads.fixture.ts";

describeHub("ETag on public reads", {}, (hub) => {
  let ada: Actor;
  let path: string;
  beforeAll(async () => {
    ada = await hub.member("ada");
    const { body } = await ada.post("/api/souls", { title: "One", content: "text" });
    path = `/api/soul/${body.id}`;
  });

  const tagOf = async () => (await hub.guest().get(path)).headers.get("etag") ?? "";

  it.each([
    (tag: string) => tag,
    (tag: string) => `W/${tag}`,
    (tag: string) => `"x", ${tag}`,
    () => "*",
  ])("returns 304 without a body if the tag matches", async (header) => {
    const { status, text, headers } = await hub
      .guest()
      .get(path, { "if-none-match": header(await tagOf()) });
    expect([status, text]).toEqual([304, ""]);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-type")).toBeNull();
  });

  it("returns a new answer and tag after a change", async () => {
    const before = await tagOf();
    await ada.put(path, { title: "Two" });
    const { status, body, headers } = await hub.guest().get(path, { "if-none-match": before });
    expect([status, body.data.title]).toEqual([200, "Two"]);
    expect(headers.get("etag")).not.toBe(before);
  });

  it("is not sent to a caller with a credential", async () => {
    const browser = await hub.signIn("ada");
    for (const caller of [ada, browser]) {
      const { headers } = await caller.get(path);
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
    }
  });

  it.each(sharedReads)("is sent for %s by GET and HEAD, without a credential", async (shared) => {
    const nobody = hub.guest();
    const { whole, held } = await readTwice(hub, shared);
    expect(whole.headers.get("cache-control")).toBe("no-cache");
    expect((await nobody.send("HEAD", shared, undefined, held)).status).toBe(304);
    const known = await ada.get(shared, held);
    expect([known.status, known.headers.get("etag")]).toEqual([200, null]);
    expect(known.headers.get("cache-control")).toBe("no-store");
    const bad = await nobody.get(shared, { authorization: "Bearer shk_bad" });
    expect([bad.status, bad.headers.get("cache-control")]).toEqual([401, "no-store"]);
  });

  it.each(["/api/chat-quota", "/api/chat-sync?soul_id=1&session_token=s"])(
    "is not sent for an answer of one guest: %s",
    async (own) => {
      const { headers } = await hub.guest().get(own);
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
    },
  );
});
