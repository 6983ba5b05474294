import type { Database } from "@soul-hub/api";
import { createActor, PASSWORD, startOpenAiServer, testDatabases } from "@soul-hub/api/testing";
import { describe, expect, it, vi } from "vitest";
import { makePlace } from "./server-place.fixture.ts";
import { startServerProcess } from "./server-process.fixture.ts";

const ASKED = 120;
/** Calls at the provider by then; of one account 8 run at a time. */
const KILLED_AT = 60;

/** Decisions §5: units are settled with the messages, and a sweeper frees what a crash left. */
describe.concurrent.each(testDatabases())(
  "a server killed in the midst of chats (on %s)",
  (kind) => {
    it("has used as many units as it has stored replies, once it was started again and has swept", async () => {
      await using place = await makePlace(kind);
      await using provider = await startOpenAiServer({
        // Every third call fails, whole or in the middle.
        fault: (_, n) => (n % 3 === 0 ? (n % 2 === 0 ? "cut" : { status: 400 }) : undefined),
      });
      const env = {
        ...place.env,
        TEXT_MODEL: "openai-compatible:text-model",
        SUMMARY_MODEL: "offline",
        OPENAI_COMPATIBLE_BASE_URL: provider.url,
      };
      await using first = await startServerProcess(env);
      const { vera, room } = await moveIn(first.url, await place.adminToken());

      // From here on replies begin and don't end: the last eight are in the air when it dies.
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
        // As time would: a hold counts as left behind when its call would be long over.
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
      // What was acknowledged is there; of the rest at most what was stored with the last breath.
      expect(await stored()).toBeGreaterThanOrEqual(succeeded);
      expect(await stored()).toBeLessThanOrEqual(succeeded + 8);
      expect(await second.stop()).toBe(0);
      await look(place, async ({ db }) => {
        expect(await db.selectFrom("quota_holds").selectAll().execute()).toEqual([]);
      });
    }, 120_000);
  },
);

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

/** An account with a pass, and a room of its own. */
async function moveIn(url: string, adminToken: string) {
  const at = (name: string, apiKey = "") => createActor({ name, apiKey, baseUrl: () => url });
  const account = { username: "vera", password: PASSWORD, email: "vera@example.org" };
  const { body } = await at("vera").post("/api/register", account);
  const pass = { username: "vera", tier: "vip", days: 1 };
  await at("the operator", adminToken).post("/api/admin/pass", pass);
  const vera = at("vera", body.api_key);
  const soul = await vera.post("/api/souls", { title: "Orla", content: "I keep the light." });
  return { vera, room: { soul_id: soul.body.id as number, session_token: "lobby" } };
}
