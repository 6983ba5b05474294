import { expect, it } from "vitest";
import { openRoom, say, sayOnPage, startChatHub, sync } from "../testing/chat-hub.ts";

/** Decision 0033: while a hub's data moves, only writes are refused. */
it("refuses writes and chats on every transport, calls no model, and goes on afterwards", async () => {
  await using hub = await startChatHub();
  const ada = await hub.vip("ada");
  const room = await openRoom(ada);
  expect((await say(ada, room, "Is the lamp lit?")).status).toBe(200);
  const asked = hub.provider.requests.length;

  hub.hub.maintenance.begin();
  const refused = [
    await say(ada, room, "And now?"),
    await ada.post("/api/souls", { title: "T", content: "C" }),
    await hub.guest().post("/api/register", {
      username: "ben",
      password: "correct horse battery",
      email: "ben@example.org",
    }),
  ];
  for (const { status, body, headers } of refused) {
    expect([status, body.error, headers.get("retry-after")]).toEqual([503, "maintenance", "15"]);
  }
  const onPage = await sayOnPage(ada, room, "And now?");
  expect([onPage.status, onPage.body.error.data.error]).toEqual([503, "maintenance"]);
  expect(hub.provider.requests.length).toBe(asked);
  expect((await sync(ada, room)).status).toBe(200);
  expect((await ada.get("/api/souls")).status).toBe(200);

  hub.hub.maintenance.end();
  expect((await say(ada, room, "And now?")).status).toBe(200);
});
