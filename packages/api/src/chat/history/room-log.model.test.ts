import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, inject, it, vi } from "vitest";
import type { Database } from "../../db/database.ts";
import {
  type ModelNetwork,
  processNetwork,
  redisNetwork,
} from "../../rooms/model-network.fixture.ts";
import { fakeTime } from "../../rooms/room.fixture.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
import { type ModelLog, steps, World } from "../../rooms/room-model.fixture.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { roomKey } from "../access/room-key.ts";
import { createRoomLog } from "./chat-room.queries.ts";

/**
 * Repeats the randomised tests of ../rooms/room.model.test.ts with rooms whose messages are in the
 * database.
 */
beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const networks: [string, () => Promise<ModelNetwork>][] = [["in one process", processNetwork]];
if (inject("services").redis) networks.push(["over Redis", redisNetwork]);

const buses = [
  ["a reliable bus", undefined],
  ["a bus that loses, duplicates and reorders", { lost: 0.1, late: 0.1, doubled: 0.1 }],
] as const;

const RUNS = 12;
const SOUL = 1;
let rooms = 0;

/** Inserts a soul into an empty database. */
async function openSoul(kind: Database["kind"]): Promise<Database> {
  const database = await emptyDatabase(kind);
  await sql`insert into accounts (id, username, username_key) values (1, 'ada', 'ada')`.execute(
    database.db,
  );
  await sql`insert into souls (id, user_id, title, content, file_type)
    values (${SOUL}, 1, 'Orla', 'I keep the light.', 'single_md')`.execute(database.db);
  return database;
}

/**
 * Creates the log of a new room. Like the chat, `append` locks the room and links each message to
 * the newest one.
 */
function roomLog({ db }: Database): ModelLog {
  const key = roomKey({ soul_id: SOUL, session_token: `room-${++rooms}` });
  const tokenHash = key.slice(key.indexOf("/") + 1);
  const messages: RoomMessage[] = [];
  const append = () =>
    db.transaction().execute(async (tx) => {
      await sql`insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
        values (${SOUL}, ${tokenHash}, '', 'account:1') on conflict do nothing`.execute(tx);
      const room = await tx
        .selectFrom("chat_rooms")
        .select(["id", "head_id"])
        .where("token_hash", "=", tokenHash)
        .forUpdate()
        .executeTakeFirstOrThrow();
      const message = {
        prev_id: room.head_id,
        role: "user" as const,
        sender_name: "ada",
        content: `Message ${messages.length + 1}`,
      };
      const { id } = await tx
        .insertInto("chat_messages")
        .values({ ...message, room_id: room.id, sender: "account:1" })
        .returning("id")
        .executeTakeFirstOrThrow();
      await tx.updateTable("chat_rooms").set({ head_id: id }).where("id", "=", room.id).execute();
      messages.push({ id, ...message });
      return { id, ...message };
    });
  const reading = new Set<Promise<unknown>>();
  const watched =
    <Question extends unknown[], Answer>(ask: (...question: Question) => Promise<Answer>) =>
    (...question: Question) => {
      const answer = ask(...question).finally(() => reading.delete(answer));
      reading.add(answer);
      return answer;
    };
  const log = createRoomLog(db);
  return {
    newest: watched(log.newest),
    after: watched(log.after),
    countAfter: watched(log.countAfter),
    heads: watched(log.heads),
    roomKey: key,
    messages,
    append,
    async settle() {
      while (reading.size > 0) {
        await Promise.allSettled(reading);
        // A finished read may start another one, so the loop then checks again for running reads.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

describe.each(testDatabases())("the log of every client equals the database (%s)", (kind) => {
  describe.each(networks)("%s", (_, network) => {
    it.each(buses)("over %s", { timeout: 240_000 }, async (_, faults) => {
      const database = await openSoul(kind);
      await fc.assert(
        fc.asyncProperty(steps, fc.nat(), async (steps, seed) => {
          const log = async () => roomLog(database);
          const world = await World.make({ seed, log, network, faults });
          await world.run(steps);
        }),
        { numRuns: RUNS },
      );
    });
  });
});
