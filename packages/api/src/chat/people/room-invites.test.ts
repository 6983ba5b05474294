import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { failureOf, say, signedIn, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { everyText } from "../../testing/every-text.ts";

/** Decisions §5, Invites: an invite makes accounts members of a private room. */
describeRoom("invites to a private room", { owner: "olga" }, (hub, owner, room) => {
  let ben: Actor;
  let page: Actor;
  let crowd: Actor[];

  beforeAll(async () => {
    ben = await hub.vip("ben");
    page = await signedIn(hub, "paul");
    crowd = await Promise.all(Array.from({ length: 20 }, (_, n) => hub.member(`visitor-${n}`)));
  });
  beforeEach(async () => {
    await say(owner, room, "Between us.", { is_private: true });
    await hub.moveClock("0");
  });

  const query = () => `soul_id=${room.soul_id}&session_token=${room.session_token}`;
  const create = (uses: number, days = 7, headers: Record<string, string> = {}) =>
    owner.post("/api/room-invites", { ...room, uses, days }, headers);
  const invite = async (uses: number, days?: number): Promise<string> =>
    (await create(uses, days)).body.invite;
  const open = async () => (await owner.get(`/api/room-invites?${query()}`)).body.data;
  const join = (actor: Actor, given: string): Promise<Answer> =>
    actor.post(actor.apiKey ? "/api/room-join" : "/trpc/rooms.join", { invite: given });
  const withdraw = (actor: Actor, given: string) =>
    actor.delete(`/api/room-invites?invite=${given}`);
  const notFound = [404, "invite_not_found"];
  const enters = async (actor: Actor) => (await sync(actor, room)).status;

  it("admits a key and a session, and names the room", async () => {
    const { body } = await create(2, 3);
    expect(body.url).toBe(`${hub.url}/join/${body.invite}`);
    expect(await enters(ben)).toBe(403);
    expect((await join(ben, body.invite)).body).toEqual({ success: true, ...room });
    expect((await join(page, body.invite)).body.result.data).toEqual(room);
    expect([await enters(ben), await enters(page)]).toEqual([200, 200]);
  });

  it("of one use lets one of 20 concurrent accounts in", async () => {
    const given = await invite(1);
    const answers = await Promise.all(crowd.map((actor) => join(actor, given)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(404)]);
    const entered = await Promise.all(crowd.map(enters));
    expect(entered).toEqual(answers.map(({ status }) => (status === 200 ? 200 : 403)));
  });

  it("is used once by an account that joins twice, also at once", async () => {
    const given = await invite(2);
    const twice = await Promise.all([join(ben, given), join(ben, given), join(ben, given)]);
    expect(twice.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await join(owner, given)).status).toBe(200);
    expect(await open()).toMatchObject([{ invite: given, uses: 2, used: 1 }]);
    expect((await join(page, given)).status).toBe(200);
    expect(await open()).toEqual([]);
    // A member enters with a used up invite.
    expect((await join(ben, given)).status).toBe(200);
    expect(failureOf(await join(crowd[0] as Actor, given))).toEqual(notFound);
  });

  it("is not found once it expired, was withdrawn, or its room is gone", async () => {
    const [short, withdrawn, lasting] = [await invite(5, 1), await invite(5), await invite(5, 30)];
    expect(failureOf(await withdraw(ben, withdrawn))).toEqual([403, "not_owner"]);
    expect((await withdraw(owner, withdrawn)).status).toBe(200);
    expect(failureOf(await withdraw(owner, withdrawn))).toEqual(notFound);
    await hub.moveClock("1 day 1 second");
    for (const given of [short, withdrawn, `${lasting}x`, ""]) {
      expect(failureOf(await join(ben, given))).toEqual(notFound);
    }
    expect((await open()).map((one: { invite: string }) => one.invite)).toEqual([lasting]);
    expect((await join(page, lasting)).status).toBe(200);
    await hub.hub.database.db
      .deleteFrom("chat_rooms")
      .where("is_private", "=", true)
      .where("soul_id", "=", room.soul_id)
      .execute();
    expect(failureOf(await join(ben, lasting))).toEqual(notFound);
  });

  it("lifts no ban, and takes no use for it", async () => {
    const given = await invite(1);
    await owner.put("/api/room-people", { ...room, username: "ben", state: "banned", minutes: 5 });
    expect(failureOf(await join(ben, given))).toEqual([403, "banned"]);
    expect(failureOf(await sync(ben, room))).toEqual([403, "banned"]);
    expect(await open()).toMatchObject([{ used: 0 }]);
    await hub.moveClock("6 minutes");
    expect((await join(ben, given)).status).toBe(200);
    await owner.put("/api/room-people", { ...room, username: "ben", state: "banned" });
    expect(failureOf(await join(ben, given))).toEqual(notFound);
  });

  it("makes no member of an account that is banned at the same moment", async () => {
    const given = await invite(5);
    const set = (state: string) =>
      owner.put("/api/room-people", { ...room, username: "ben", state });
    const { db } = hub.hub.database;
    // The lock holds the join between its check for a ban and the membership.
    const joinThenBan = async () => {
      const held = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = db.transaction().execute(async (transaction) => {
        await sql`lock table room_invites in exclusive mode`.execute(transaction);
        locked.resolve();
        await held.promise;
      });
      await locked.promise;
      const joining = join(ben, given);
      await setTimeout(200);
      const banning = set("banned");
      await setTimeout(200);
      held.resolve();
      await Promise.all([holding, joining, banning]);
    };
    // PGlite runs one transaction at a time, so the two calls cannot overlap.
    if (hub.hub.database.connections > 1) await joinThenBan();
    else await Promise.all([join(ben, given), set("banned")]);
    expect(await enters(ben)).toBe(403);
    await set("muted");
    expect(await enters(ben)).toBe(403);
  });

  it("of 20 that are open, expired and used up ones do not count", async () => {
    const [used] = [await invite(1), await invite(1, 1)];
    await join(ben, used);
    await Promise.all(Array.from({ length: 25 }, () => create(1)));
    expect(await open()).toHaveLength(20);
    expect(failureOf(await create(1))).toEqual([409, "limit_reached"]);
    await hub.moveClock("1 day 1 second");
    expect(await open()).toHaveLength(19);
    expect((await create(1)).status).toBe(200);
  });

  it("is stored as hash and ciphertext only, also with an Idempotency-Key", async () => {
    const first = await create(3, 7, { "idempotency-key": "invite" });
    const again = await create(3, 7, { "idempotency-key": "invite" });
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await open()).toHaveLength(1);
    const { invite: given } = first.body;
    expect(Buffer.from(given, "base64url").length).toBeGreaterThanOrEqual(16);
    const texts = await everyText(hub.hub.database);
    expect(texts.filter(({ text }) => text.includes(given))).toEqual([]);
    await withdraw(owner, given);
    const withdrawn = await create(3, 7, { "idempotency-key": "invite" });
    expect(failureOf(withdrawn)).toEqual(notFound);
  });
});
