import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, inject, it, vi } from "vitest";
import type { Database } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";
import {
  type ModelNetwork,
  processNetwork,
  redisNetwork,
} from "../../rooms/model-network.fixture.ts";
import { fakeTime, member } from "../../rooms/room.fixture.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
import { type ModelLog, steps, World } from "../../rooms/room-model.fixture.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { createRoomLog, readAfter } from "../rows/chat-room.queries.ts";
import type { StoredStep } from "../rows/revision-step.ts";
import { roomKey, splitRoomKey } from "../rows/room-key.ts";
import { readChanged } from "../rows/room-settings.queries.ts";
import { toQuestion, type WrittenLines } from "../storing/store-messages.ts";

const networks: [string, () => Promise<ModelNetwork>][] = [["in one process", processNetwork]];
if (inject("services").redis) networks.push(["over Redis", redisNetwork]);

const buses = [
  ["a reliable bus", undefined],
  ["a bus that loses, duplicates and reorders", { lost: 0.2, late: 0.3, doubled: 0.2 }],
] as const;

const RUNS = 4;
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

const ADA = "account:1";
const EMOJIS = ["👍", "🎉"];

/**
 * Creates the log of a new room. `append` and `change` call the SQL functions of the endpoints. A
 * third of the messages continue a chosen one, which moves the room's path (0038).
 */
function roomLog({ db }: Database, random: () => number): ModelLog {
  const key = roomKey({ soul_id: SOUL, session_token: `room-${++rooms}` });
  const of = { of_soul: SOUL, of_token_hash: splitRoomKey(key).tokenHash };
  const asker = member("ada");
  const messages: RoomMessage[] = [];
  let revision = 0;
  let title: string | undefined;
  let active_id: number | null = null;
  const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)];
  const changeOf = async (step: StoredStep, messageId = 0, tellsRoom = true) => {
    if (step.revision === step.prev_revision) return undefined;
    const { room, messages } = await readChanged(db, key, messageId);
    revision = step.revision;
    active_id = room?.active_id ?? null;
    const prev_revision = step.prev_revision ?? revision;
    return { revision, prev_revision, messages: [...messages], ...(tellsRoom && room && { room }) };
  };
  const append = async () => {
    const content = `Message ${messages.length + 1}`;
    const under = random() < 1 / 3 ? pick(messages.filter(({ removed }) => !removed))?.id : null;
    const line = { asker: ADA, asker_name: "ada", line: content, said_to: "room", under };
    const room = { ...of, of_token_sealed: "", for_private: false };
    const [written] = await callFunction<WrittenLines>(db, "store_line", { ...room, ...line });
    if (!written) throw new Error("store_line returned no row.");
    const message = toQuestion(written, asker, content);
    messages.push(message);
    return { message, change: await changeOf(written) };
  };
  const change = async () => {
    const message = pick(messages);
    if (!message) return undefined;
    const ofRoom = { ...of, setter: ADA, expected: null };
    const ofMessage = { ...of, of_id: message.id };
    const me = { editor: ADA, editor_name: "ada", expected: null };
    const text = `Text ${revision + 1}`;
    const newTitle = `Title ${revision + 1}`;
    const reaction = { reactor: ADA, reactor_name: "ada", reaction: pick(EMOJIS) };
    const setRoom = (settings: object) =>
      ["set_room", { ...ofRoom, settings: JSON.stringify(settings) }] as const;
    const [run, args] = pick([
      ["edit_message", { ...ofMessage, ...me, new_content: text }],
      ["remove_message", { ...ofMessage, remover: ADA }],
      ["react_to_message", { ...ofMessage, ...reaction, is_on: random() < 0.7 }],
      setRoom({ title: newTitle }),
      setRoom({ active_id: random() < 0.3 ? null : message.id }),
    ] as const) ?? ["set_room", {}];
    const [step] = await callFunction<StoredStep>(db, run, args);
    const messageId = run === "set_room" ? 0 : message.id;
    const changed = step && (await changeOf(step, messageId, run !== "react_to_message"));
    if (!changed) return undefined;
    messages.splice(0, messages.length, ...(await readAfter(db, key, 0, messages.length)));
    if (changed.room?.title === newTitle) title = newTitle;
    return changed;
  };
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
    load: watched(log.load),
    changes: watched(log.changes),
    newest: watched(log.newest),
    after: watched(log.after),
    countAfter: watched(log.countAfter),
    heads: watched(log.heads),
    roomKey: key,
    messages,
    get end() {
      const first = messages.find(({ removed }) => !removed);
      return { revision, title: title ?? first?.content ?? "", active_id };
    },
    append,
    change,
    async settle() {
      while (reading.size > 0) {
        await Promise.allSettled(reading);
        // A finished read may start another one, so the loop then checks again for running reads.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/**
 * Repeats the randomised tests of ../../rooms/room.model.fixture.ts with rooms whose messages are in
 * the database.
 * @param times how many times the ordinary number of cases runs
 */
export function describeRoomLogModel(times: number): void {
  beforeEach(() => void fakeTime());
  afterEach(() => void vi.useRealTimers());

  describe.each(testDatabases())("the log of every client equals the database (%s)", (kind) => {
    describe.each(networks)("%s", (_, network) => {
      it.each(buses)("over %s", { timeout: 240_000 * times }, async (_, faults) => {
        const database = await openSoul(kind);
        await fc.assert(
          fc.asyncProperty(steps, fc.nat(), async (steps, seed) => {
            const log = async (random: () => number) => roomLog(database, random);
            const world = await World.make({ seed, log, network, faults });
            await world.run(steps);
          }),
          { numRuns: times * RUNS },
        );
      });
    });
  });
}
