import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { ownPostgresDatabase } from "../../testing/own-database.ts";
import { openDatabaseProxy } from "../../testing/servers/database-proxy.ts";
import { testDatabases } from "../../testing/test-database.ts";

/** Milliseconds that a query waits for a free database connection (db/connect.ts). */
const CONNECTION_TIMEOUT_MS = 5_000;

/** Decisions §5, Storage: a reply is stored once and charged once. */
describe.runIf(testDatabases().includes("postgresql"))("storing a reply", () => {
  /** Creates a room and stores one exchange in it. */
  const openUsedRoom = async (
    hub: ChatHub,
  ): Promise<{ vera: Actor; room: RoomName; left: number }> => {
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    return { vera, room, left: await remaining(vera) };
  };
  const rolesOf = async (vera: Actor, room: RoomName) =>
    (await history(vera, room)).body.messages.map(({ role }: { role: string }) => role);
  const holds = (hub: ChatHub) =>
    hub.hub.database.db.selectFrom("quota_holds").selectAll().execute();

  /** Opens a database connection that does not belong to the hub. */
  const connect = async (url: string) => {
    const client = new pg.Client(url);
    await client.connect();
    return {
      query: async (statement: string) => (await client.query(statement)).rows,
      [Symbol.asyncDispose]: () => client.end(),
    };
  };
  /** Counts statements that wait for a lock. Inside a transaction the result would not change. */
  const WAITING =
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

  it("waits longer for a connection than a question does", { timeout: 60_000 }, async () => {
    await using own = await ownPostgresDatabase();
    const database = await connectDatabase({ url: own.url, poolSize: 2 });
    await using hub = await startChatHub({ database });
    const { vera, room, left } = await openUsedRoom(hub);
    const release = hub.provider.holdNext();
    const sent = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    const free = Promise.withResolvers<void>();
    const busy = [1, 2].map(() => database.db.connection().execute(() => free.promise));
    release();
    await sleep(CONNECTION_TIMEOUT_MS + 1_500);
    free.resolve();
    await Promise.all(busy);
    expect((await sent).status).toBe(200);
    expect(await rolesOf(vera, room)).toEqual(["user", "assistant", "user", "assistant"]);
    expect([await remaining(vera), await holds(hub)]).toEqual([left - 1, []]);
  });

  it("leaves connections to questions while many replies are stored", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    const database = await connectDatabase({ url: own.url, poolSize: 4 });
    await using hub = await startChatHub({ database });
    const { vera, room } = await openUsedRoom(hub);
    const rooms = ["a", "b", "c", "d", "e", "f"].map((session_token) => ({
      ...room,
      session_token,
    }));
    for (const each of rooms) await say(vera, each, "Hello.");
    await using observer = await connect(own.url);
    await using writer = await connect(own.url);
    await writer.query("begin; select from chat_rooms for update");
    const sent = rooms.map((each) => say(vera, each, "Is it dark?"));
    await eventually(async () => expect(await observer.query(WAITING)).toEqual([{ waiting: 2 }]));
    // This read of the history would fail if the waiting store statements held all connections.
    expect((await history(vera, room)).status).toBe(200);
    await writer.query("rollback");
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(rooms.map(() => 200));
  });

  it("stores a reply once if the database's response is lost", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    await using proxy = await openDatabaseProxy(own.url);
    const database = await connectDatabase({ url: proxy.url, queryTimeoutMs: 1_500 });
    await using hub = await startChatHub({ database });
    const { vera, room, left } = await openUsedRoom(hub);
    const release = hub.provider.holdNext();
    const sent = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    proxy.drop("answers");
    release();
    await using observer = await connect(own.url);
    const count = "select count(*)::int as lines from chat_messages";
    await eventually(async () => expect(await observer.query(count)).toEqual([{ lines: 4 }]));
    proxy.drop("nothing");
    expect((await sent).status).toBe(200);
    expect(await rolesOf(vera, room)).toEqual(["user", "assistant", "user", "assistant"]);
    expect([await remaining(vera), await holds(hub)]).toEqual([left - 1, []]);
  });

  it("stores nothing if its statement gets the room's lock after the refund", {
    timeout: 60_000,
  }, async () => {
    await using own = await ownPostgresDatabase();
    await using proxy = await openDatabaseProxy(own.url);
    await using hub = await startChatHub({ database: await connectDatabase({ url: proxy.url }) });
    const { vera, room } = await openUsedRoom(hub);
    await using observer = await connect(own.url);
    await using writer = await connect(own.url);
    const release = hub.provider.holdNext();
    const sent = say(vera, room, "Is it dark?");
    await hub.provider.received(2);
    await writer.query("begin; select from chat_rooms for update");
    release();
    // The database keeps executing the store statements after the proxy has cut their connections.
    for (const waiting of [1, 2]) {
      await eventually(async () => expect(await observer.query(WAITING)).toEqual([{ waiting }]));
      if (waiting === 2) void hub.hub.drain();
      proxy.disconnect();
    }
    expect((await sent).status).toBe(503);
    expect(await observer.query("select from quota_holds")).toEqual([]);
    await writer.query("commit");
    await eventually(async () => expect(await observer.query(WAITING)).toEqual([{ waiting: 0 }]));
    // This query waits until the store statements have ended and released the room's lock.
    await writer.query("select from chat_rooms for update");
    expect(await observer.query("select from chat_messages")).toHaveLength(2);
    expect(await observer.query("select used from quota_days")).toEqual([{ used: 1 }]);
  });
});
