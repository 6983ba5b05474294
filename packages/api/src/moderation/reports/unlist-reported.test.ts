import { sql } from "kysely";
import { expect, it } from "vitest";
import { openRoom, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { act, actOn, operatorOf, readCase, staffOf } from "../staff.fixture.ts";

/** AUTO_LIMIT: reports by trusted accounts take a soul out of the lists (0062). */
describeChat("AUTO_LIMIT", { config: { autoLimit: 2 } }, (hub) => {
  it("unlists a soul until staff decide, and counts trusted accounts alone", async () => {
    const author = await hub.vip("author");
    const staff = await staffOf(hub, "mia");
    const room = await openRoom(author, { title: "Chess with Orla" });
    const { soul_id } = room;
    const message_id = (await say(author, room, "Hello.")).body.question_id;
    const { db } = hub.hub.database;
    const reportBy = async (name: string, more: object) => {
      const who = await hub.member(name);
      await db.updateTable("accounts").set(more).where("username", "=", name).execute();
      const target = { kind: "soul", soul_id, reason: "spam" };
      expect((await who.post("/api/reports", target)).status).toBe(200);
    };
    const lists = async () => {
      const guest = hub.guest();
      const texts = [
        (await guest.get("/api/souls?limit=100")).text,
        (await guest.get("/api/souls?q=chess")).text,
        (await guest.get("/api/profile?username=author")).text,
        (await guest.get("/api/apps?slug=chess-lesson")).text,
      ];
      return texts.filter((text) => text.includes("Chess with Orla")).length;
    };
    const old = { created_at: sql<string>`hub_now() - interval '8 days'` };
    const verified = { email_verified_at: sql<string>`hub_now()` };
    const before = await lists();
    expect(before).toBeGreaterThan(2);
    await reportBy("new", verified);
    await reportBy("unverified", old);
    await reportBy("trusted", { ...old, ...verified });
    expect(await lists()).toBe(before);
    await reportBy("trusted2", { ...old, ...verified });
    expect(await lists()).toBe(0);
    expect((await hub.guest().get(`/api/soul/${soul_id}`)).status).toBe(200);
    const { id } = (await staff.get("/api/mod/cases")).body.data[0];
    expect((await readCase(staff, id)).reports).toHaveLength(4);
    const audit = await operatorOf(hub).get("/api/admin/audit?actor=hub");
    expect(audit.body.data).toMatchObject([{ action: "unlist-soul", target: `soul:${soul_id}` }]);
    for (const action of ["warn", "dismiss"]) {
      await actOn(staff, { kind: "message", ...room, message_id }, action);
    }
    expect(await lists()).toBe(0);
    await act(staff, id, "silence", { days: 1 });
    expect(await lists()).toBe(before);
  });
});
