import { afterEach, expect, it, vi } from "vitest";
import { openRoom, say, sayOnPage, startChatHub, sync } from "../testing/chat-hub.ts";
import { PASSWORD, startTestHub } from "../testing/test-hub.ts";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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

/** A move compares the rows, so the hub itself must not change any. */
it("stops the sweeps and the upkeep of the embedded database until it ends", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using hub = await startTestHub({ database: "pglite" });
  const { maintenance, upkeep, database } = hub.hub;
  if (!upkeep) throw new Error("An embedded hub has an upkeep.");
  const keepUp = vi.spyOn(upkeep, "run");
  const ada = await hub.member("ada");
  await ada.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
  await hub.moveClock("31 days");
  /** The embedded database runs statements in their order, so this one follows those of a sweep. */
  const sessions = async () =>
    (await database.db.selectFrom("sessions").select("token_hash").execute()).length;

  maintenance.begin();
  vi.advanceTimersByTime(HOUR_MS);
  expect([await sessions(), keepUp.mock.calls.length]).toEqual([1, 0]);

  maintenance.end();
  vi.advanceTimersByTime(MINUTE_MS);
  expect(await sessions()).toBe(0);
  expect(keepUp).toHaveBeenCalled();
});
