import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { openRoom, say, sync } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

const { postgres, redis } = inject("services");

/** Requires PostgreSQL, because the embedded database runs one transaction at a time. */
describe.skipIf(!(postgres && redis))("two transactions in one room", () => {
  it("an earlier message that commits later, unpublished, reaches every client", async () => {
    await using servers = await startTwoServers("postgresql");
    const { one, two } = servers;
    const { db } = one.hub.database;
    const [ada, ben] = [await one.vip("ada"), await two.vip("ben")];
    const room = await openRoom(ada);
    await say(ada, room, "Who is there?");
    await using here = joinAs(one, ada, room);
    await using there = joinAs(two, ben, room);
    await eventually(() => expect([here.ids.length, there.ids.length]).toEqual([2, 2]));

    // Simulates a server that commits late and crashes before it publishes the message.
    const { promise: late, resolve: commit } = Promise.withResolvers<void>();
    const written = Promise.withResolvers<number>();
    const slow = db.transaction().execute(async (tx) => {
      const { id: room_id, head_id } = await tx
        .selectFrom("chat_rooms")
        .select(["id", "head_id"])
        .forUpdate()
        .executeTakeFirstOrThrow();
      const line = { role: "user", sender: "account:1", sender_name: "ada", content: "Me." };
      const { id } = await tx
        .insertInto("chat_messages")
        .values({ ...line, room_id, prev_id: head_id })
        .returning("id")
        .executeTakeFirstOrThrow();
      await tx.updateTable("chat_rooms").set({ head_id: id }).execute();
      written.resolve(id);
      await late;
    });
    const earlier = await written.promise;
    const answer = say(ben, room, "And I.");
    await eventually(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`.execute(db);
      expect(rows).not.toEqual([]);
    });
    expect([here.ids, there.ids]).toMatchObject([{ length: 2 }, { length: 2 }]);
    commit();
    await slow;
    expect((await answer).status).toBe(200);

    await eventually(() => expect([here.ids.length, there.ids.length]).toEqual([5, 5]));
    expect(there.ids).toEqual(here.ids);
    expect(here.ids[2]).toBe(earlier);
    expect(here.ids).toEqual([...here.ids].sort((a, b) => a - b));
    const prevIds = here.of("message").map(({ prev_id }) => prev_id);
    expect(prevIds).toEqual([0, ...here.ids.slice(0, -1)]);
    const polled = (await sync(ben, room, { last_id: here.ids[1] })).body.new_messages;
    expect(polled.map(({ id }: { id: number }) => id)).toEqual(here.ids.slice(2));
  });
});
