import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Actor,
  eventually,
  ownPostgresDatabase,
  type ServerProcess,
  testDatabases,
} from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";

const ROOMS = 4;
/** Questions per room before the move begins. */
const ASKED = 10;

interface Conversation {
  actor: Actor;
  room: { soul_id: number; session_token: string };
  /** The acknowledged questions and replies, in order. */
  log: string[];
}

/** Asks until the hub refuses writes or is gone. */
async function converse({ actor, room, log }: Conversation): Promise<void> {
  for (let n = 1; ; n++) {
    const content = `${actor.name} asks ${n}`;
    const answer = await actor.post("/api/chat", { ...room, content }).catch(() => undefined);
    if (!answer) return;
    if (answer.status === 503) {
      expect(answer.body.error).toBe("maintenance");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      return;
    }
    expect(answer.status).toBe(200);
    log.push(content, answer.body.reply);
  }
}

async function startConversations(server: ServerProcess, adminToken: string) {
  const conversations: Conversation[] = [];
  for (let n = 0; n < ROOMS; n++) {
    const actor = await openAccount(server, adminToken, `asker-${n}`);
    const room = { soul_id: await publishSoul(actor), session_token: "lobby" };
    conversations.push({ actor, room, log: [] });
  }
  const over = Promise.all(conversations.map(converse));
  await eventually(() => {
    for (const { log } of conversations) expect(log.length).toBeGreaterThan(ASKED * 2);
  });
  return { conversations, over };
}

/** Returns the texts of a room's log on a server. */
async function readLog(server: ServerProcess, { actor, room }: Conversation): Promise<string[]> {
  const again = server.actor({ name: actor.name, apiKey: actor.apiKey });
  const query = new URLSearchParams({ ...room, soul_id: String(room.soul_id), limit: "500" });
  const { body } = await again.get(`/api/chat?${query}`);
  const { messages }: { messages: { content: string }[] } = body;
  return messages.map(({ content }) => content);
}

const operatorOf = (server: ServerProcess, apiKey: string) =>
  server.actor({ name: "the operator", apiKey });

/** Decision 0033: an embedded hub moves to PostgreSQL while it runs. */
describe.runIf(testDatabases().includes("postgresql"))(
  "moving an embedded hub to PostgreSQL",
  () => {
    it("takes every acknowledged message along, once and in order", async () => {
      await using place = await makePlace("pglite");
      await using target = await ownPostgresDatabase("none");
      await using embedded = await startServerProcess(place.env);
      const token = await place.adminToken();
      const { conversations, over } = await startConversations(embedded, token);
      const operator = operatorOf(embedded, token);
      expect((await operator.post("/api/admin/move", { database_url: target.url })).status).toBe(
        200,
      );
      await over;
      await eventually(async () => {
        expect((await operator.get("/api/admin/move")).body).toMatchObject({ step: "moved" });
      });
      // Reads go on, and writes stay refused.
      for (const conversation of conversations) {
        expect(await readLog(embedded, conversation)).toEqual(conversation.log);
      }
      expect((await conversations[0]?.actor.post("/api/souls", {}))?.body.error).toBe(
        "maintenance",
      );
      expect(await embedded.stop()).toBe(0);
      await expect(startServerProcess(place.env)).rejects.toThrow(
        /was moved to the PostgreSQL server 127\.0\.0\.1/,
      );

      const secrets = JSON.parse(
        await readFile(path.join(place.env.DATA_DIR, "secrets.json"), "utf8"),
      );
      await using moved = await startServerProcess({
        ...place.env,
        DATABASE_URL: target.url,
        MASTER_KEYS: secrets.master_keys,
        ADMIN_TOKEN: secrets.admin_token,
      });
      for (const conversation of conversations) {
        expect(await readLog(moved, conversation)).toEqual(conversation.log);
        const { actor, room } = conversation;
        const again = moved.actor({ name: actor.name, apiKey: actor.apiKey });
        expect((await again.post("/api/chat", { ...room, content: "Here again" })).status).toBe(
          200,
        );
      }
    });

    it("changes nothing if it is killed halfway, and can be repeated", async () => {
      await using place = await makePlace("pglite");
      await using target = await ownPostgresDatabase("none");
      await using first = await startServerProcess(place.env);
      const token = await place.adminToken();
      const { conversations, over } = await startConversations(first, token);
      await operatorOf(first, token).post("/api/admin/move", { database_url: target.url });
      await over;
      await sleep(randomInt(1_500));
      await first.kill();

      await using second = await startServerProcess(place.env);
      for (const conversation of conversations) {
        expect(await readLog(second, conversation)).toEqual(conversation.log);
        const { actor, room } = conversation;
        const again = second.actor({ name: actor.name, apiKey: actor.apiKey });
        expect((await again.post("/api/chat", { ...room, content: "Here again" })).status).toBe(
          200,
        );
      }
      const operator = operatorOf(second, token);
      await operator.post("/api/admin/move", { database_url: target.url });
      await eventually(async () => {
        expect((await operator.get("/api/admin/move")).body).toMatchObject({ step: "moved" });
      });
    });

    it("is refused if the target has tables, and writes go on", async () => {
      await using place = await makePlace("pglite");
      await using target = await ownPostgresDatabase();
      await using server = await startServerProcess(place.env);
      const token = await place.adminToken();
      const operator = operatorOf(server, token);
      await operator.post("/api/admin/move", { database_url: target.url });
      await eventually(async () => {
        expect((await operator.get("/api/admin/move")).body).toMatchObject({
          step: "failed",
          reason: "The PostgreSQL database is not empty: it contains tables.",
        });
      });
      await openAccount(server, token, "ada");
    });
  },
);
