import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../db/connect.ts";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../testing/chat-hub.ts";
import { openDatabaseLine } from "../testing/database-line.ts";
import { eventually } from "../testing/eventually.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { testDatabases } from "../testing/test-database.ts";

/** As in connect.ts: how long a call waits for a connection. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** Decisions §5: who was answered is charged once, and their reply is in the log once. */
describe.runIf(testDatabases().includes("postgresql"))("a reply that is to be stored", () => {
  /** A room with one exchange in it; what follows is on top of that. */
  const begun = async (hub: ChatHub): Promise<{ vera: Actor; room: RoomName; left: number }> => {
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    return { vera, room, left: await remaining(vera) };
  };
  const linesOf = async (vera: Actor, room: RoomName) =>
    (await history(vera, room)).body.messages.map(({ role }: { role: string }) => role);
  const holds = (hub: ChatHub) =>
    hub.hub.database.db.selectFrom("quota_holds").selectAll().execute();

  /** Past the hub. */
  const direct = async (url: string) => {
    const client = new pg.Client(url);
    await client.connect();
    return {
      query: async (statement: string) => (await client.query(statement)).rows,
      [Symbol.asyncDispose]: () => client.end(),
    };
  };
  /** Whoever asks this inside a transaction is told the same each time. */
  const WAITING =
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

  it("waits for a connection longer than a question does", { timeout: 60_000 }, async () => {
    await using own = await ownPostgresDatabase();
    const database = await connectDatabase({ url: own.url, poolSize: 2 });
    await using hub = await startChatHub({ database });
    const { vera, room, left } = await begun(hub);
    const speak = hub.provider.holdNext();
    const asked = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    const free = Promise.withResolvers<void>();
    const busy = [1, 2].map(() => database.db.connection().execute(() => free.promise));
    speak();
    await sleep(CONNECTION_TIMEOUT_MS + 1_500);
    free.resolve();
    await Promise.all(busy);
    expect((await asked).status).toBe(200);
    expect(await linesOf(vera, room)).toEqual(["user", "assistant", "user", "assistant"]);
    expect([await remaining(vera), await holds(hub)]).toEqual([left - 1, []]);
  });

  it("leaves connections to questions, however many others are to be stored", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    const database = await connectDatabase({ url: own.url, poolSize: 4 });
    await using hub = await startChatHub({ database });
    const { vera, room } = await begun(hub);
    const rooms = ["a", "b", "c", "d", "e", "f"].map((session_token) => ({
      ...room,
      session_token,
    }));
    for (const each of rooms) await say(vera, each, "Hello.");
    await using witness = await direct(own.url);
    await using writer = await direct(own.url);
    await writer.query("begin; select from chat_rooms for update");
    const asked = rooms.map((each) => say(vera, each, "Is it dark?"));
    await eventually(async () => expect(await witness.query(WAITING)).toEqual([{ waiting: 2 }]));
    // Would wait for a connection, in vain, where all were taken.
    expect((await history(vera, room)).status).toBe(200);
    await writer.query("rollback");
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(rooms.map(() => 200));
  });

  it("is there once where the database stored it and its answer was lost", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    await using line = await openDatabaseLine(own.url);
    const database = await connectDatabase({ url: line.url, queryTimeoutMs: 1_500 });
    await using hub = await startChatHub({ database });
    const { vera, room, left } = await begun(hub);
    const speak = hub.provider.holdNext();
    const asked = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    line.keep("answers");
    speak();
    await using witness = await direct(own.url);
    const count = "select count(*)::int as lines from chat_messages";
    await eventually(async () => expect(await witness.query(count)).toEqual([{ lines: 4 }]));
    line.keep("nothing");
    expect((await asked).status).toBe(200);
    expect(await linesOf(vera, room)).toEqual(["user", "assistant", "user", "assistant"]);
    expect([await remaining(vera), await holds(hub)]).toEqual([left - 1, []]);
  });

  it("is not there where its statement gets the room's lock after the units went back", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    await using line = await openDatabaseLine(own.url);
    await using hub = await startChatHub({ database: await connectDatabase({ url: line.url }) });
    const { vera, room } = await begun(hub);
    await using witness = await direct(own.url);
    await using writer = await direct(own.url);
    const speak = hub.provider.holdNext();
    const asked = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    await writer.query("begin; select from chat_rooms for update");
    speak();
    // The database does not notice that nobody listens to the first any more, nor to the second.
    for (const waiting of [1, 2]) {
      await eventually(async () => expect(await witness.query(WAITING)).toEqual([{ waiting }]));
      if (waiting === 2) void hub.hub.drain();
      line.cut();
    }
    expect((await asked).status).toBe(503);
    expect(await witness.query("select from quota_holds")).toEqual([]);
    await writer.query("commit");
    await eventually(async () => expect(await witness.query(WAITING)).toEqual([{ waiting: 0 }]));
    // Behind those that waited.
    await writer.query("select from chat_rooms for update");
    expect(await witness.query("select from chat_messages")).toHaveLength(2);
    expect(await witness.query("select used from quota_days")).toEqual([{ used: 1 }]);
  });
});
