import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { act, actOn, operatorOf, readCase, staffOf } from "../staff.fixture.ts";

const old = { created_at: sql<string>`hub_now() - interval '8 days'` };
const verified = { email_verified_at: sql<string>`hub_now()` };
const trusted = { ...old, ...verified };

/** AUTO_LIMIT: reports by trusted accounts take a soul out of the lists (0062). */
describeChat("AUTO_LIMIT", { config: { autoLimit: 2 } }, (hub) => {
  let author: Actor;
  let staff: Actor;
  let room: RoomName;
  let title: string;
  let number = 0;

  beforeAll(async () => {
    author = await hub.vip("author");
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    hub.hub.config.emailVerification = "optional";
    hub.hub.mail = { state: "ok", send: async () => undefined, close: () => undefined };
    title = `Chess with Orla ${++number}.`;
    room = await openRoom(author, { title });
  });

  const reportBy = async (name: string, more: object) => {
    const who = await hub.member(`${name}-${number}`);
    const { db } = hub.hub.database;
    await db.updateTable("accounts").set(more).where("username", "=", who.name).execute();
    const target = { kind: "soul", soul_id: room.soul_id, reason: "spam" };
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
    return texts.filter((text) => text.includes(title)).length;
  };
  const openCase = async () => (await staff.get("/api/mod/cases?limit=100")).body.data.at(-1);

  it("unlists a soul until staff decide, and counts trusted accounts alone", async () => {
    const { soul_id } = room;
    const message_id = (await say(author, room, "Hello.")).body.question_id;
    const before = await lists();
    expect(before).toBeGreaterThan(2);
    await reportBy("new", verified);
    await reportBy("unverified", old);
    await reportBy("trusted", trusted);
    expect(await lists()).toBe(before);
    await reportBy("trusted2", trusted);
    expect(await lists()).toBe(0);
    expect((await hub.guest().get(`/api/soul/${soul_id}`)).status).toBe(200);
    const { id } = await openCase();
    expect((await readCase(staff, id)).reports).toHaveLength(4);
    const audit = await operatorOf(hub).get("/api/admin/audit?actor=hub");
    expect(audit.body.data).toMatchObject([{ action: "unlist-soul", target: `soul:${soul_id}` }]);
    for (const action of ["warn", "dismiss"]) {
      await actOn(staff, { kind: "message", ...room, message_id }, action);
    }
    expect(await lists()).toBe(0);
    await act(staff, id, "silence", { days: 1 });
    expect(await lists()).toBe(before);
    await act(staff, id, "restore");
  });

  it("counts no report from before a decision about the soul", async () => {
    await reportBy("first", trusted);
    await reportBy("second", trusted);
    expect(await lists()).toBe(0);
    const { id } = await openCase();
    await act(staff, id, "dismiss");
    const before = await lists();
    expect(before).toBeGreaterThan(2);
    await reportBy("third", trusted);
    // The first case is decided again, while the third report waits in another one.
    await act(staff, id, "warn");
    await reportBy("fourth", trusted);
    expect(await lists()).toBe(before);
    await reportBy("fifth", trusted);
    expect(await lists()).toBe(0);
  });

  it("has no effect on a hub that verifies no addresses", async () => {
    const before = await lists();
    hub.hub.config.emailVerification = "off";
    await reportBy("first", trusted);
    await reportBy("second", trusted);
    hub.hub.config.emailVerification = "optional";
    hub.hub.mail = null;
    await reportBy("third", trusted);
    expect(await lists()).toBe(before);
  });
});
