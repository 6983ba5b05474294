import type { Database } from "@soul-hub/api";
import { createActor, startOpenAiServer, testDatabases } from "@soul-hub/api/testing";
import { describe, expect, it, vi } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const ASKED = 120;
/**
 * The server is killed when the model provider has received this number of calls. One account runs
 * 8 calls at a time.
 */
const KILLED_AT = 60;

/**
 * Decisions §5: a reply and the quota units that it used are stored together. After a crash, the
 * hub's sweeper refunds units that are only on hold.
 */
describe.concurrent.each(testDatabases())("a server killed during chats (on %s)", (kind) => {
  it("has used one unit per stored reply after a restart and a sweep", async () => {
    await using place = await makePlace(kind);
    await using provider = await startOpenAiServer({
      // Every third call to the provider fails, at once or in the middle of the reply.
      fault: (_, n) => (n % 3 === 0 ? (n % 2 === 0 ? "cut" : { status: 400 }) : undefined),
    });
    const env = {
      ...place.env,
      TEXT_MODEL: "openai-compatible:text-model",
      SUMMARY_MODEL: "offline",
      OPENAI_COMPATIBLE_BASE_URL: provider.url,
    };
    await using first = await startServerProcess(env);
    const vera = await openAccount(first, await place.adminToken(), "vera");
    const room = { soul_id: await publishSoul(vera), session_token: "lobby" };

    // The provider never finishes the last eight replies, so they are in progress when the server
    // is killed.
    const hold = provider.received(KILLED_AT - 8).then(() => {
      for (let n = 0; n < ASKED; n++) provider.holdNext();
    });
    const answers = Array.from({ length: ASKED }, (_, n) =>
      vera.post("/api/chat", { ...room, content: `Question ${n}.` }).catch(() => undefined),
    );
    await hold;
    await provider.received(KILLED_AT);
    await first.kill();
    const answered = (await Promise.all(answers)).filter((answer) => answer !== undefined);
    const succeeded = answered.filter(({ status }) => status === 200).length;
    expect(succeeded).toBeGreaterThan(20);
    expect(answered.length).toBeLessThan(ASKED);

    const left = await look(place, async ({ db }) => {
      const holds = await db.selectFrom("quota_holds").select("units").execute();
      // The test moves the expiry of the quota holds to the past instead of waiting for it.
      await db.updateTable("quota_holds").set({ expires_at: "2020-01-01" }).execute();
      return holds.length;
    });
    expect(left).toBeGreaterThan(0);

    await using second = await startServerProcess(env);
    const again = createActor({ ...vera, baseUrl: () => second.url });
    const used = async () => (await again.get("/api/chat-quota")).body.quota.daily_count;
    const stored = async () => {
      const { soul_id, session_token } = room;
      const { body } = await again.get(
        `/api/chat?soul_id=${soul_id}&session_token=${session_token}&limit=500`,
      );
      return body.messages.length / 2;
    };
    await vi.waitFor(async () => expect(await used()).toBe(await stored()), { timeout: 25_000 });
    // Every acknowledged reply is stored. At most eight more may be stored: those in progress at
    // the kill.
    expect(await stored()).toBeGreaterThanOrEqual(succeeded);
    expect(await stored()).toBeLessThanOrEqual(succeeded + 8);
    expect(await second.stop()).toBe(0);
    await look(place, async ({ db }) => {
      expect(await db.selectFrom("quota_holds").selectAll().execute()).toEqual([]);
    });
  }, 120_000);
});

async function look<T>(
  place: Awaited<ReturnType<typeof makePlace>>,
  see: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await place.open();
  try {
    return await see(database);
  } finally {
    await database.close();
  }
}
