import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { roomRow } from "../chat/tree/tree.fixture.ts";
import { act, actOn, staffOf } from "../moderation/staff.fixture.ts";
import { createActor } from "../testing/actor.ts";
import { failureOf, history, say, startChatHub, sync } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { everyText } from "../testing/every-text.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { stopDatabaseClock, testDatabases } from "../testing/test-database.ts";
import { ADMIN_TOKEN, PASSWORD } from "../testing/test-hub.ts";
import {
  ADDRESS,
  archiveText,
  type DeletionWorld,
  everyAnswer,
  makeDeletionWorld,
  NAME,
  TEXT,
  withQuery,
} from "./account-deletion.fixture.ts";
import { createDueDeletions } from "./delete-due-accounts.ts";

type Choice = { souls?: "delete" | "keep"; messages?: "anonymise" | "erase" };

/** Deletion of an account (0063). */
describe("deletion of an account", () => {
  let world: DeletionWorld;
  let hub: Awaited<ReturnType<typeof startChatHub>>;

  beforeEach(async () => {
    hub = await startChatHub();
    // With a stopped clock, no answer changes by itself.
    await stopDatabaseClock(hub.hub.database, { never: "2031-03-01 12:00:00" });
    world = await makeDeletionWorld(hub);
    return () => hub.close();
  });

  const request = ({ souls = "delete", messages = "anonymise" }: Choice = {}) =>
    world.leaver.post("/api/delete-account", { password: PASSWORD, souls, messages });
  const login = () => hub.guest().post("/api/login", { username: NAME, password: PASSWORD });
  const undo = (password = PASSWORD) =>
    hub.guest().post("/api/undo-deletion", { username: NAME, password });
  const pass = async () => {
    await stopDatabaseClock(hub.hub.database, { never: "2031-03-16 12:00:00" });
    await hub.hub.deleteDueAccounts();
  };
  const soul = async (id: number) => (await hub.guest().get(`/api/soul/${id}`)).body;

  it("closes the account at once, and undo restores every answer byte for byte", async () => {
    const { leaver, other, souls, rooms, share, invite } = world;
    const browser = hub.guest();
    const idle = hub.guest();
    for (const each of [browser, idle]) {
      await each.post("/api/login", { username: NAME, password: PASSWORD, remember: true });
    }
    await everyAnswer(world);
    const before = await everyAnswer(world);
    const { status, body } = await request();
    expect([status, body.deletes_at]).toEqual([200, "2031-03-15 12:00:00"]);
    expect(failureOf(await leaver.get("/api/me"))).toEqual([401, "unauthenticated"]);
    expect(failureOf(await browser.get("/api/me"))).toEqual([401, "unauthenticated"]);
    const refused = await login();
    expect(failureOf(refused)).toEqual([403, "account_deleting"]);
    expect(refused.body.deletes_at).toBe("2031-03-15 12:00:00");
    const wrong = { username: NAME, password: "a wrong password" };
    expect(failureOf(await hub.guest().post("/api/login", wrong))).toEqual([
      401,
      "wrong_credentials",
    ]);
    expect(failureOf(await hub.guest().get(`/api/profile?username=${NAME}`))[0]).toBe(404);
    expect((await soul(souls.open)).error).toBe("soul_not_found");
    for (const answer of await Promise.all([
      sync(other, rooms.open),
      history(other, rooms.open),
      say(other, rooms.open, "Still there?"),
      other.post("/api/room-join", { invite }),
      sync(hub.guest(), rooms.open),
    ])) {
      expect(failureOf(answer)).toEqual([403, "private_session"]);
    }
    expect(failureOf(await hub.guest().get(`/api/share/${share}`))).toEqual([
      404,
      "share_not_found",
    ]);
    expect((await other.get("/api/my-chats")).text).not.toContain("public-of-leaver");
    expect((await other.get(`/api/soul/${souls.fork}`)).status).toBe(200);
    // The sweeper of an account that is not due does nothing.
    await hub.hub.deleteDueAccounts();

    expect(failureOf(await undo("a wrong password"))).toEqual([401, "wrong_credentials"]);
    expect((await undo()).status).toBe(200);
    expect(await everyAnswer(world)).toEqual(before);
    // A browser that has asked meanwhile has lost its cookie, as after any end of its session.
    expect((await idle.get("/api/me")).body.user).toMatchObject({
      username: NAME,
      deletes_at: null,
    });
    expect((await undo()).status).toBe(200);
  });

  it("ends subscriptions to its rooms, and its own ones, at once", async () => {
    const { other, rooms } = world;
    const browser = await hub.signIn(NAME);
    await using live = joinAs(hub, other, rooms.open);
    await using own = joinAs(hub, browser, rooms.ofOther);
    await using unconcerned = joinAs(hub, other, rooms.ofOther);
    await eventually(() => {
      for (const visitor of [live, own, unconcerned]) expect(visitor.types).toContain("sync");
    });
    await request();
    await eventually(() =>
      expect([live.endedBy, own.endedBy]).toEqual(["private_session", "unauthenticated"]),
    );
    expect(unconcerned.endedBy).toBeUndefined();
  });

  it("erases name, address and text, wherever it is killed", async () => {
    const { other, souls, rooms, share } = world;
    await say(other, rooms.ofOther, "A last word of my own.");
    // In the room of the leaver's soul, the leaver has said nothing.
    await sql`update chat_rooms set summary = ${`${NAME} said: ${TEXT}`}
      where soul_id <> ${souls.open}`.execute(hub.hub.database.db);
    await request({ messages: "erase" });
    await stopDatabaseClock(hub.hub.database, { never: "2031-03-16 12:00:00" });
    // Each run dies after one transaction more than the run before.
    for (let budget = 1; await isThere(); budget++) {
      expect(budget).toBeLessThan(60);
      let left = budget;
      const write = async <T>(work: () => Promise<T>): Promise<T> => {
        if (left-- === 0) throw new Error("killed");
        return work();
      };
      const maintenance = { isOn: false, write } as typeof hub.hub.maintenance;
      await createDueDeletions({ ...hub.hub, maintenance })();
    }

    const found = (await everyText(hub.hub.database)).filter(({ text }) =>
      [NAME, ADDRESS, TEXT].some((word) => text.toLowerCase().includes(word.toLowerCase())),
    );
    expect(found).toEqual([]);
    const archive = await archiveText(hub, other);
    expect(archive).toContain("A last word of my own.");
    for (const word of [NAME, ADDRESS, TEXT]) expect(archive).not.toContain(word);
    expect(hub.log.join("")).not.toContain(NAME);
    expect(hub.log.join("")).not.toContain(TEXT);

    for (const id of [souls.open, souls.own, souls.gated]) {
      expect((await soul(id)).error).toBe("soul_not_found");
    }
    expect((await other.get(`/api/soul/${souls.fork}`)).body.data.content).toContain("third");
    expect((await soul(souls.ofOther)).data).toMatchObject({
      like_count: 0,
      avg_rating: 5,
      total_ratings: 1,
    });
    expect(failureOf(await history(other, rooms.own))).toEqual([404, "room_not_found"]);
    const reserved = await hub.hub.database.db
      .selectFrom("reserved_rooms")
      .select("owner")
      .execute();
    expect(reserved.map(({ owner }) => owner)).toEqual([expect.stringMatching(/^deleted:\d+$/)]);
    expect(failureOf(await hub.guest().get(`/api/share/${share}`))[0]).toBe(404);
    const { messages } = (await history(other, rooms.ofOther)).body;
    expect(messages.map((line: { id: number }) => line.id)).toEqual(
      [...messages].map((line: { id: number }) => line.id).sort((a, b) => a - b),
    );
    expect(messages.find((line: { removed?: true }) => line.removed)).toMatchObject({
      sender_name: "Deleted",
      content: "[removed]",
    });
  });

  it("takes back what it wrote into replies to others, however many lines it wrote", async () => {
    const { leaver, rooms } = world;
    const { db } = hub.hub.database;
    const lines = (await history(leaver, rooms.open)).body.messages;
    const reply = lines.at(-1);
    const edit = { ...rooms.open, id: reply.id, content: `In truth ${TEXT}.` };
    expect((await leaver.put("/api/message", edit)).status).toBe(200);
    // As many lines as one transaction forgets.
    await sql`insert into chat_messages
        (room_id, parent_id, prev_id, role, sender, sender_name, content)
      select room_id, id, -nth, role, sender, sender_name, 'More.'
      from chat_messages, generate_series(1, 499) as nth where id = ${lines[0].id}`.execute(db);
    await request({ messages: "erase" });
    await pass();
    expect(await isThere()).toBe(false);
    const texts = JSON.stringify(await everyText(hub.hub.database));
    for (const word of [NAME, TEXT]) expect(texts).not.toContain(word);
    const edited = db.selectFrom("chat_messages").select(["content", "edited_by"]);
    expect(await edited.where("id", "=", reply.id).execute()).toEqual([
      { content: "[removed]", edited_by: null },
    ]);
  });

  it("stays away when staff restore a message that they had removed before", async () => {
    const { other, leaver, rooms } = world;
    const { db } = hub.hub.database;
    const staff = await staffOf(hub, "mia");
    const lines = (await history(other, rooms.ofOther)).body.messages;
    const asked = lines[0];
    const said = lines.find(({ content }: { content: string }) => content.includes(TEXT));
    const room_id = (await roomRow(hub, rooms.ofOther)).id;
    const stored = { room_id, version: 1, text: `${NAME}: ${TEXT}`, covers_to: said.id };
    await db
      .insertInto("room_summaries")
      .values({ ...stored, made_by: "fold" })
      .execute();
    const report = { kind: "message", ...rooms.ofOther, message_id: asked.id, reason: "other" };
    expect((await leaver.post("/api/reports", { ...report, note: TEXT })).status).toBe(200);
    const removed = (message_id: number) =>
      actOn(staff, { kind: "message", ...rooms.ofOther, message_id }, "remove_message");
    const cases = [await removed(asked.id), await removed(said.id)];
    await sql`update mod_cases set state = 'appealed'`.execute(db);
    expect((await request({ messages: "erase" })).status).toBe(200);
    await pass();
    expect((await leaver.get("/api/me")).status).toBe(401);
    for (const each of cases) expect((await act(staff, each, "restore")).status).toBe(200);
    const after = (await history(other, rooms.ofOther)).body.messages;
    const contentOf = (id: number) => after.find((line: { id: number }) => line.id === id).content;
    expect([contentOf(asked.id), contentOf(said.id)]).toEqual([asked.content, "[removed]"]);
    const texts = JSON.stringify(await everyText(hub.hub.database));
    for (const word of [NAME, TEXT]) expect(texts).not.toContain(word);
  });

  const isThere = async () =>
    (await hub.hub.database.db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", NAME)
      .executeTakeFirst()) !== undefined;

  it("keeps public souls as souls of ghost, and lines without their name", async () => {
    const { other, souls, rooms } = world;
    await using live = joinAs(hub, other, rooms.ofOther);
    await eventually(() => expect(live.types).toContain("sync"));
    await request({ souls: "keep" });
    expect((await soul(souls.open)).error).toBe("soul_not_found");
    await pass();
    expect((await soul(souls.open)).data).toMatchObject({
      username: "ghost",
      content: "A third state.",
      is_public: 1,
      like_count: 1,
      fork_count: 1,
    });
    expect((await soul(souls.own)).error).toBe("soul_not_found");
    const versions = await hub.guest().get(withQuery("/api/versions", { soul_id: souls.open }));
    expect(versions.body.data).toHaveLength(1);
    expect((await hub.guest().get("/api/profile?username=ghost")).status).toBe(200);
    expect((await history(other, rooms.ofLeaversSoul)).body.messages).toHaveLength(2);
    const { messages } = (await history(other, rooms.ofOther)).body;
    const line = messages.find(({ content }: { content: string }) => content.includes(TEXT));
    expect(line).toMatchObject({ sender_name: "Deleted", content: `${TEXT}, once.` });
    await eventually(() =>
      expect(JSON.stringify(live.of("changed"))).toContain('"sender_name":"Deleted"'),
    );
    expect(JSON.stringify(await everyText(hub.hub.database))).not.toContain(NAME);
    expect((await archiveText(hub, other)).includes(NAME)).toBe(false);
  });

  it("keeps no soul that a hold hides, but the rooms of others", async () => {
    const { db } = hub.hub.database;
    await request({ souls: "keep" });
    await sql`insert into soul_holds (soul_id, kind, was_public)
      values (${world.souls.open}, 'suspension', 1)`.execute(db);
    await pass();
    expect((await soul(world.souls.open)).error).toBe("soul_not_found");
    const rows = db.selectFrom("souls").select(["title", "content", "user_id"]);
    const [left] = await rows.where("id", "=", world.souls.open).execute();
    expect(left).toMatchObject({ title: "A kept soul", content: "" });
    expect((await history(world.other, world.rooms.ofLeaversSoul)).body.messages).toHaveLength(2);
    expect((await soul(world.souls.gated)).data.username).toBe("ghost");
  });

  it("leaves public rooms to others, and nobody can turn them private", async () => {
    const { other, rooms } = world;
    await request();
    await pass();
    expect((await say(other, rooms.open, "I go on.")).status).toBe(200);
    const turned = await say(other, rooms.open, "Mine?", { is_private: true });
    expect(failureOf(turned)).toEqual([403, "private_session"]);
    const settings = await other.put("/api/room", { ...rooms.open, title: "Mine" });
    expect(failureOf(settings)).toEqual([403, "not_owner"]);
    const people = await other.get(withQuery("/api/room-people", { ...rooms.ofOther }));
    expect(people.text).not.toContain("Deleted");
    expect(failureOf(await history(other, rooms.own))).toEqual([404, "room_not_found"]);
  });

  it("takes the name for ever, also for guests and after a rotation of the master keys", async () => {
    await request();
    await pass();
    const again = { username: NAME.toUpperCase(), password: PASSWORD, email: "new@example.org" };
    const register = (at = hub) => at.guest().post("/api/register", again);
    expect(failureOf(await register())).toEqual([409, "username_taken"]);
    const named = await hub.guest().put("/api/guest-name", { name: NAME });
    expect(failureOf(named)).toEqual([409, "username_taken"]);
    expect(failureOf(await login())).toEqual([401, "wrong_credentials"]);
    expect(failureOf(await undo())).toEqual([401, "wrong_credentials"]);
    const { db } = hub.hub.database;
    const former = { id: "test", key: new Uint8Array(32).fill(7) };
    const fresh = { id: "fresh", key: new Uint8Array(32).fill(8) };
    for (const masterKeys of [[fresh, former], [fresh]]) {
      await using next = await startChatHub({ database: hub.hub.database, masterKeys });
      if (masterKeys.length === 2) {
        const operator = createActor({ name: "o", apiKey: ADMIN_TOKEN, baseUrl: () => next.url });
        expect((await operator.post("/api/admin/rotate-keys")).status).toBe(200);
      }
      expect(failureOf(await register(next))).toEqual([409, "username_taken"]);
    }
    const rows = await db.selectFrom("deleted_accounts").selectAll().execute();
    expect(rows).toMatchObject([{ souls: "delete", messages: "anonymise" }]);
  });

  it("lets people register and leave after the loss of the master keys", async () => {
    await request();
    await pass();
    const masterKeys = [{ id: "other", key: new Uint8Array(32).fill(9) }];
    await using next = await startChatHub({ database: hub.hub.database, masterKeys });
    const again = { username: "newcomer", password: PASSWORD, email: "new@example.org" };
    const register = () => next.guest().post("/api/register", again);
    const newcomer = createActor({
      name: "newcomer",
      apiKey: (await register()).body.api_key,
      baseUrl: () => next.url,
    });
    const choice = { password: PASSWORD, souls: "delete", messages: "erase" };
    expect((await newcomer.post("/api/delete-account", choice)).status).toBe(200);
    await stopDatabaseClock(hub.hub.database, { never: "2031-04-16 12:00:00" });
    await next.hub.deleteDueAccounts();
    expect(failureOf(await register())).toEqual([409, "username_taken"]);
  });

  it("keeps usage without the account", async () => {
    const { db } = hub.hub.database;
    await hub.hub.modelUsage.flush();
    const count = async () =>
      (await db
        .selectFrom("model_usage")
        .select(({ fn }) => [fn.countAll<number>().as("all"), fn.count("account_id").as("named")])
        .executeTakeFirstOrThrow()) as { all: number; named: number };
    const before = await count();
    await request();
    await pass();
    const after = await count();
    expect(after.all).toBe(before.all);
    expect(Number(after.named)).toBeLessThan(Number(before.named));
    const quotas = await db.selectFrom("quota_days").select("subject").execute();
    expect(quotas.map(({ subject }) => subject)).toContain("deleted:1");
  });
});

/** PGlite runs one transaction at a time, so undo and deletion never meet there (0063). */
describe.runIf(testDatabases().includes("postgresql"))("a late undo", () => {
  it("fails if the time was up before it got the lock", async () => {
    await using hub = await startChatHub({ database: "postgresql" });
    const ada = await hub.member("ada");
    const choice = { password: PASSWORD, souls: "delete", messages: "erase" };
    await ada.post("/api/delete-account", choice);
    const { db } = hub.hub.database;
    const { answer } = await db.transaction().execute(async (tx) => {
      await sql`select from account_deletions for update`.execute(tx);
      const undo = { username: "ada", password: PASSWORD };
      const waiting = hub.guest().post("/api/undo-deletion", undo);
      await eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        expect(rows).toHaveLength(1);
      });
      await sql`update accounts set deletes_at = clock_timestamp()`.execute(tx);
      return { answer: waiting };
    });
    expect(failureOf(await answer)).toEqual([401, "wrong_credentials"]);
  });
});

/** With no time to undo, the account is deleted at once (0063). */
describe("deletion without a grace", () => {
  it("begins with the request", async () => {
    await using hub = await startChatHub({ config: { deletionGraceDays: 0 } });
    const ada = await hub.member("ada");
    const choice = { password: PASSWORD, souls: "delete", messages: "erase" };
    expect((await ada.post("/api/delete-account", choice)).status).toBe(200);
    await eventually(async () =>
      expect(await hub.hub.database.db.selectFrom("accounts").select("id").execute()).toEqual([]),
    );
  });
});
