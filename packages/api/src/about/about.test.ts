import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { openRoom, type RoomName } from "../testing/chat-hub.ts";
import { failureCode, openSocket } from "../testing/live-visitor.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";

/** What the hub says about itself, and a hub without guests (0058). */
describe("a hub that is closed to guests", () => {
  let hub: TestHub;
  let vera: Actor;
  let room: RoomName;
  beforeAll(async () => {
    const about = { contact: "mailto:op@example.org", termsUrl: null, privacyUrl: null };
    hub = await startTestHub({ config: { guests: false, about, deletionGraceDays: 9 } });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
  });
  afterAll(() => hub.close());

  it("says so at GET /api/hub, with an ETag", async () => {
    const { body, headers } = await hub.guest().get("/api/hub");
    expect(body).toEqual({
      success: true,
      name: "Soul Hub",
      version: "0.0.0-test",
      registration: "open",
      guests: false,
      mail: false,
      passkeys: false,
      email_verification: "optional",
      contact: "mailto:op@example.org",
      terms_url: null,
      privacy_url: null,
      retention: {
        rooms_days: 0,
        guest_rooms_days: 0,
        usage_days: 90,
        reports_days: 180,
        audit_days: 400,
        deletion_grace_days: 9,
      },
    });
    const again = { "if-none-match": headers.get("etag") ?? "" };
    expect((await hub.guest().get("/api/hub", again)).status).toBe(304);
  });

  it("lets guests read, but neither chat nor listen", async () => {
    const guest = hub.guest();
    const { soul_id, session_token } = room;
    for (const path of ["/api/souls", `/api/soul/${soul_id}`, "/api/profile?username=vera"]) {
      expect((await guest.get(path)).status).toBe(200);
    }
    const listening = await guest.get(
      `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}`,
    );
    expect([listening.status, listening.body.error]).toEqual([401, "unauthenticated"]);
    const sent = await guest.post("/trpc/chat.send", { ...room, content: "Hello" });
    expect(sent.body.error.data.error).toBe("unauthenticated");
    await using socket = openSocket(hub, guest);
    const visitor = socket.join(room);
    await expect.poll(() => visitor.endedBy).toBe("unauthenticated");
    const souls = await socket.client.souls.list.query({}).catch(failureCode);
    expect(souls).toMatchObject({ count: 1 });
  });

  it("serves accounts as before", async () => {
    expect((await vera.post("/api/chat", { ...room, content: "Hello" })).status).toBe(200);
  });
});
