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
    const direct = new pg.Client(own.url);
    await direct.connect();
    await direct.query("begin; select from chat_rooms for update");
    const asked = rooms.map((each) => say(vera, each, "Is it dark?"));
    await eventually(async () => {
      const { rows } = await direct.query(
        "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      expect(rows).toEqual([{ waiting: 2 }]);
    });
    // Would wait for a connection, in vain, where all were taken.
    expect((await history(vera, room)).status).toBe(200);
    await direct.query("rollback");
    await direct.end();
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
    const direct = new pg.Client(own.url);
    await direct.connect();
    await eventually(async () => {
      const { rows } = await direct.query("select count(*)::int as lines from chat_messages");
      expect(rows).toEqual([{ lines: 4 }]);
    });
    await direct.end();
    line.keep("nothing");
    expect((await asked).status).toBe(200);
    expect(await linesOf(vera, room)).toEqual(["user", "assistant", "user", "assistant"]);
    expect([await remaining(vera), await holds(hub)]).toEqual([left - 1, []]);
  });
});
