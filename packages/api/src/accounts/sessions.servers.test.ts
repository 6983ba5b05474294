import { describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../testing/actor.ts";
import { type ChatHub, openRoom, say, signedIn } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { ruleDatabase } from "../testing/test-database.ts";
import { ADMIN_TOKEN } from "../testing/test-hub.ts";
import { startTwoServers } from "../testing/two-servers.ts";

const { redis } = inject("services");

/** What a session listens to ends with it, on every server (0059). */
describe.skipIf(!redis)("sessions on two servers", () => {
  const database = ruleDatabase();
  /** Returns the same browser as a client of another server. */
  const on = (hub: ChatHub, { name, cookies }: Actor): Actor => {
    const there = createActor({ name, baseUrl: () => hub.url });
    for (const [key, value] of cookies) there.cookies.set(key, value);
    return there;
  };
  const openBrowsers = async ({ one }: { one: ChatHub }) => {
    const room = await openRoom(await one.vip("olga"));
    const ended = await signedIn(one, "paul");
    const kept = await one.signIn("paul");
    return { room, ended, kept };
  };

  it("end alone by their id", async () => {
    await using servers = await startTwoServers(database);
    const { two } = servers;
    const { room, ended, kept } = await openBrowsers(servers);
    await using endedThere = joinAs(two, on(two, ended), room);
    await using keptThere = joinAs(two, on(two, kept), room);
    await eventually(() => {
      for (const { types } of [endedThere, keptThere]) expect(types).toContain("sync");
    });
    const { sessions } = (await kept.get("/api/sessions")).body;
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    expect((await kept.delete(`/api/sessions/${other.id}`)).status).toBe(200);
    await eventually(() => expect(endedThere.endedBy).toBe("unauthenticated"));
    expect(keptThere.endedBy).toBeUndefined();
  });

  it("end with a password that a link sets", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const { room, ended } = await openBrowsers(servers);
    await say(await one.vip("quinn"), room, "Good evening.");
    await using there = joinAs(two, on(two, ended), room);
    await eventually(() => expect(there.types).toContain("sync"));
    const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const link = await one.guest().post("/api/admin/reset-link", { username: "paul" }, operator);
    const token = link.body.url.split("#")[1];
    await one.guest().post("/api/reset-password", { token, new_password: "a quieter battery" });
    await eventually(() => expect(there.endedBy).toBe("unauthenticated"));
  });
});
