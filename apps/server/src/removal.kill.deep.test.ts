import { createActor, testDatabases } from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const MESSAGES = 8;
const SECRET = "the key is under the mat";

/** A removal is stored before its answer (0039). */
describe.concurrent.each(testDatabases())("a server killed after removals (on %s)", (kind) => {
  it("shows no removed text after a restart", { timeout: 120_000 }, async () => {
    await using place = await makePlace(kind);
    const env = { ...place.env, DATA_SYNC: "on", TEXT_MODEL: "offline" };
    await using first = await startServerProcess(env);
    const vera = await openAccount(first, await place.adminToken(), "vera");
    const room = { soul_id: await publishSoul(vera), session_token: "lobby" };
    const ids: number[] = [];
    for (let n = 0; n < MESSAGES; n++) {
      const { body } = await vera.post("/api/chat", { ...room, content: `${n}: ${SECRET}` });
      ids.push(body.question_id, body.message_id);
    }
    const name = `soul_id=${room.soul_id}&session_token=lobby`;
    const removals = await Promise.all(
      ids.map((id) => vera.delete(`/api/message?${name}&id=${id}`)),
    );
    await first.kill();
    expect(removals.map(({ status }) => status)).toEqual(ids.map(() => 200));

    await using second = await startServerProcess(env);
    const again = createActor({ ...vera, baseUrl: () => second.url });
    const answers = [
      await again.get(`/api/chat?${name}`),
      await again.get(`/api/chat-sync?${name}&last_id=0&revision=0`),
      await again.get(`/api/room?${name}`),
      await again.get("/api/my-chats"),
    ];
    const [log, changes] = answers.map(({ body }) => body);
    expect(log.messages).toHaveLength(2 * MESSAGES);
    for (const line of log.messages) {
      expect(line).toMatchObject({ content: "[removed]", removed: true });
    }
    expect(changes).toMatchObject({ revision: ids.length, changes: { length: ids.length } });
    expect(answers.map(({ text }) => text).join()).not.toContain(SECRET);
  });
});
