import { describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../testing/actor.ts";
import { type ChatHub, failureOf, history, openRoom, say, sync } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { ruleDatabase } from "../testing/test-database.ts";
import { startTwoServers } from "../testing/two-servers.ts";
import { act, actOn, staffOf } from "./staff.fixture.ts";

const { redis } = inject("services");

/** Decisions of the staff on one server apply on the other at once (0062). */
describe.skipIf(!redis)("moderation on two servers", () => {
  const database = ruleDatabase();
  const on = (hub: ChatHub, { name, apiKey }: Actor): Actor =>
    createActor({ name, apiKey, baseUrl: () => hub.url });

  it("removes and restores a message for readers of the other server", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const olga = await one.vip("olga");
    const staff = await staffOf(one, "mia");
    const room = await openRoom(olga);
    const { message_id } = (await olga.post("/api/say", { ...room, content: "Call 555 0100." }))
      .body;
    await using visitor = joinAs(two, two.guest(), room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const caseId = await actOn(staff, { kind: "message", ...room, message_id }, "remove_message");
    await eventually(() =>
      expect(visitor.of("changed").at(-1)?.messages).toMatchObject([{ removed_by: "moderator" }]),
    );
    expect((await history(on(two, olga), room)).text).not.toContain("555 0100");
    await act(staff, caseId, "restore");
    await eventually(() =>
      expect(visitor.of("changed").at(-1)?.messages).toMatchObject([{ content: "Call 555 0100." }]),
    );
  });

  it("ends visits of a hidden soul, a closed room and a suspended account", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const olga = await one.vip("olga");
    const ben = await one.vip("ben");
    const staff = await staffOf(one, "mia");
    const closed = await openRoom(olga);
    const hidden = await openRoom(olga);
    const open = await openRoom(olga);
    for (const room of [closed, hidden, open]) await say(olga, room, "Hello.");
    const there = on(two, ben);
    await using inClosed = joinAs(two, there, closed);
    await using inHidden = joinAs(two, there, hidden);
    await using inOpen = joinAs(two, there, open);
    const visitors = [inClosed, inHidden, inOpen];
    await eventually(() => {
      for (const visitor of visitors) expect(visitor.types).toContain("sync");
    });
    await actOn(staff, { kind: "room", ...closed }, "close_room");
    await actOn(staff, { kind: "soul", soul_id: hidden.soul_id }, "hide_soul");
    await eventually(() => {
      expect(inClosed.endedBy).toBe("private_session");
      expect(inHidden.endedBy).toBe("soul_not_found");
    });
    expect(failureOf(await sync(there, closed))).toEqual([403, "private_session"]);
    expect(failureOf(await sync(there, hidden))).toEqual([404, "soul_not_found"]);
    await actOn(staff, { kind: "person", username: "ben" }, "suspend");
    await eventually(() => expect(inOpen.endedBy).toBe("account_suspended"));
  });
});
