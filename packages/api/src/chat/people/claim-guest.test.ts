import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { hashCredential } from "../../credential-hash.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { openSocket } from "../../testing/live-visitor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

const COOKIE = "soulhub_guest";

/** Decisions §3, Guest: an account takes along the conversations of its browser's guest (0077). */
describeRoom(
  "the claim of a guest",
  { owner: "olga", databases: testDatabases() },
  (hub, olga, room) => {
    const ids = ["one", "two", "three"] as const;
    let browser: Actor;
    let names = 0;

    beforeEach(async () => {
      await hub.hub.database.db.deleteFrom("quota_days").execute();
      browser = await newGuest();
    });

    const named = (session_token: string): RoomName => ({ ...room, session_token });
    const newGuest = async () => {
      const guest = hub.guest();
      await guest.get("/api/chat-quota");
      return guest;
    };
    const talk = (guest: Actor, token: string, more: object = {}) =>
      sayOnPage(guest, named(token), "Hello.", more);
    /** Creates an account and signs the actor's browser in, as the page does. */
    async function signUp(actor: Actor, username = `ada-${++names}`) {
      const account = { username, password: PASSWORD, email: `${username}@example.org` };
      const registered = await actor.post("/api/register", account);
      const login = { username, password: PASSWORD, remember: true };
      const signedIn = await actor.post("/api/login", login);
      const counts = [registered, signedIn].map(({ body }) => body.guest_rooms);
      return { username, api_key: registered.body.api_key, counts };
    }
    const claim = (actor: Actor) => actor.post("/api/claim-guest", {});
    const chats = async (actor: Actor): Promise<{ session_token: string; is_owner: boolean }[]> =>
      (await actor.get("/trpc/chat.sessions")).body.result.data.sessions;
    const linesOf = async (token: string) => {
      const { rows } = await sql<{ sender: string; sender_name: string }>`
        select sender, sender_name from chat_messages where role = 'user' and room_id = (
          select id from chat_rooms where soul_id = ${room.soul_id}
            and token_hash = ${hashCredential(token)})
        order by id`.execute(hub.hub.database.db);
      return rows;
    };
    /** Returns the participant's id of the guest, or of the account, of a browser. */
    const idOf = async (token: string) => (await linesOf(token)).at(-1)?.sender;

    it("makes the account the owner of its rooms, and of what it said, under the old name", async () => {
      const old = browser.cookies.get(COOKIE);
      await talk(browser, "one");
      await talk(browser, "two", { is_private: true });
      await say(olga, named("three"), "Come in.");
      await talk(browser, "three");
      const [said] = await linesOf("one");
      await hub.moveClock("1 day");
      const { counts } = await signUp(browser);
      expect(counts).toEqual([3, 3]);
      expect(await chats(browser)).toEqual([]);

      expect((await claim(browser)).body).toMatchObject({ success: true, rooms: 3 });
      const own = (await chats(browser)).map(({ session_token, is_owner }) => [
        session_token,
        is_owner,
      ]);
      expect(Object.fromEntries(own)).toEqual({ one: true, two: true, three: false });
      const [moved] = await linesOf("one");
      expect(moved).toEqual({
        sender: expect.stringMatching(/^account:/),
        sender_name: said?.sender_name,
      });
      expect(browser.cookies.get(COOKIE)).toBeTruthy();
      expect(browser.cookies.get(COOKIE)).not.toBe(old);
      // The former cookie opens nothing any more.
      const former = hub.guest();
      former.cookies.set(COOKIE, old ?? "");
      expect(failureOf(await talk(former, "two"))).toEqual([403, "private_session"]);
      await hub.moveClock("0");
    });

    it("counts the replies to the own messages as read, and what others said as new", async () => {
      await talk(browser, "one");
      await talk(browser, "two");
      await say(olga, named("two"), "Welcome.");
      await signUp(browser);
      await claim(browser);
      const list = (await browser.get("/trpc/chat.sessions")).body.result.data.sessions;
      const unread = (token: string) =>
        list.find((one: { session_token: string }) => one.session_token === token).unread;
      expect([unread("one"), unread("two")]).toEqual([0, 2]);
    });

    it("takes no conversation of more than 7 days ago, which may be another person's", async () => {
      await talk(browser, "one");
      await hub.moveClock("8 days");
      await talk(browser, "two");
      const { counts } = await signUp(browser);
      expect(counts).toEqual([1, 1]);
      await claim(browser);
      expect((await chats(browser)).map(({ session_token }) => session_token)).toEqual(["two"]);
      await hub.moveClock("0");
    });

    it("happens once, whoever asks again", async () => {
      await talk(browser, "one");
      const old = browser.cookies.get(COOKIE) ?? "";
      await signUp(browser);
      const other = await newGuest();
      await signUp(other);
      await claim(browser);
      const former = hub.guest();
      former.cookies.set(COOKIE, old);
      await talk(former, "two");
      for (const again of [browser, other]) {
        again.cookies.set(COOKIE, old);
        expect((await claim(again)).body.rooms).toBe(0);
      }
      expect((await signUp(hub.guest())).counts).toEqual([undefined, undefined]);
      browser.cookies.set(COOKIE, old);
      expect((await signUp(browser)).counts).toEqual([0, 0]);
      expect(await chats(other)).toEqual([]);
    });

    it("happens once, if several accounts ask at once", async () => {
      for (const token of ids) await talk(browser, token);
      const claimers = await Promise.all(
        [0, 1, 2, 3].map(async () => {
          const one = hub.guest();
          await signUp(one);
          one.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
          return one;
        }),
      );
      const answers = await Promise.all([...claimers, ...claimers].map(claim));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(answers.map(({ body }) => body.rooms).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 3]);
      const lists = await Promise.all(claimers.map(chats));
      expect(lists.map(({ length }) => length).sort()).toEqual([0, 0, 0, 3]);
    });

    it.each([
      ["a forged cookie", (cookie: string) => `${cookie.slice(0, -4)}AAAA`],
      ["no cookie", () => undefined],
    ])("takes nothing with %s", async (_, change) => {
      await talk(browser, "one");
      const stranger = hub.guest();
      const given = change(browser.cookies.get(COOKIE) ?? "");
      if (given) stranger.cookies.set(COOKIE, given);
      const { counts } = await signUp(stranger);
      expect(counts).toEqual([undefined, undefined]);
      expect((await claim(stranger)).body.rooms).toBe(0);
      expect(await idOf("one")).toMatch(/^guest:/);
    });

    it("needs no cookie of a session, but a page of this hub if there is one", async () => {
      await talk(browser, "one");
      const { api_key } = await signUp(browser);
      const headers = { "sec-fetch-site": "cross-site" };
      const crossSite = await browser.post("/api/claim-guest", {}, headers);
      expect(failureOf(crossSite)).toEqual([403, "csrf_rejected"]);
      const guest = hub.guest();
      guest.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
      const byKey = await guest.post(
        "/api/claim-guest",
        {},
        { authorization: `Bearer ${api_key}` },
      );
      expect(byKey.body.rooms).toBe(1);
    });

    it("works over tRPC, and over a WebSocket, which can set no cookie", async () => {
      await talk(browser, "one");
      await signUp(browser);
      const asked = await browser.get("/trpc/accounts.guestRooms");
      expect(asked.body.result.data).toEqual({ guest_rooms: 1 });
      expect((await browser.post("/trpc/accounts.claimGuest")).body.result.data.rooms).toBe(1);

      const second = await newGuest();
      await talk(second, "two");
      await signUp(second);
      await using socket = openSocket(hub, second);
      expect((await socket.client.accounts.claimGuest.mutate()).rooms).toBe(1);
      expect((await chats(second)).length).toBe(1);
    });

    it("gives a reply that is being written to the account, and no later one", async () => {
      const asked = hub.provider.requests.length;
      const release = hub.provider.holdNext();
      const former = hub.guest();
      former.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
      const sent = talk(former, "one");
      await hub.provider.received(asked + 1);
      await signUp(browser);
      await claim(browser);
      release();
      expect((await sent).status).toBe(200);
      expect(await chats(browser)).toMatchObject([{ session_token: "one", is_owner: true }]);
      await talk(former, "one");
      expect(await linesOf("one")).toMatchObject([
        { sender: expect.stringMatching(/^account:/) },
        { sender: expect.stringMatching(/^guest:/) },
      ]);
    });

    it("gives the account the address of a deleted room", async () => {
      await talk(browser, "one");
      const owner = await idOf("one");
      const { db } = hub.hub.database;
      const token_hash = hashCredential("two");
      await db
        .insertInto("reserved_rooms")
        .values({ soul_id: room.soul_id, token_hash, owner: owner ?? "" })
        .execute();
      await signUp(browser);
      expect(failureOf(await talk(browser, "two"))).toEqual([404, "room_not_found"]);
      await claim(browser);
      expect((await talk(browser, "two")).status).toBe(200);
    });

    it("keeps one of two equal reactions", async () => {
      const name = `ada-${++names}`;
      const ada = await signedIn(hub, name);
      await say(olga, named("one"), "Come in.");
      const { messages } = (await history(olga, named("one"))).body;
      await talk(browser, "one");
      const reacting = (actor: Actor, emoji: string) =>
        actor.post("/trpc/chat.react", { ...named("one"), id: messages[0].id, emoji, on: true });
      for (const [actor, emoji] of [
        [browser, "👍"],
        [ada, "👍"],
        [browser, "🎉"],
      ] as const) {
        expect((await reacting(actor, emoji)).status).toBe(200);
      }
      const { head: last_id, revision: before } = (await sync(olga, named("one"))).body;
      ada.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
      await claim(ada);
      const { revision, changes } = (await sync(olga, named("one"), { last_id, revision: before }))
        .body;
      expect(revision).toBe(before + 1);
      expect(changes).toMatchObject([
        {
          reactions: [
            { emoji: "👍", count: 1, names: [name] },
            { emoji: "🎉", count: 1 },
          ],
        },
      ]);
    });

    describe("a restriction", () => {
      type State = ["muted" | "banned", number?] | undefined;
      it.each<[string, State, State, State]>([
        ["of the guest moves", ["muted"], undefined, ["muted"]],
        ["of the account stays", undefined, ["banned", 5], ["banned", 5]],
        ["that is stricter counts: a ban", ["banned", 5], ["muted"], ["banned", 5]],
        ["that is stricter counts: no end", ["muted"], ["muted", 5], ["muted"]],
        ["that is stricter counts: that of the account", ["muted"], ["banned", 5], ["banned", 5]],
      ])("%s", async (_, ofGuest, ofAccount, expected) => {
        const ada = await hub.vip(`ada-${++names}`);
        await say(olga, named("one"), "Come in.");
        await say(ada, named("one"), "Thanks.");
        const [, mine] = await linesOf("one");
        await talk(browser, "one");
        const { data } = (await olga.get(peopleOf("one"))).body;
        const guest = data.find(({ kind }: { kind: string }) => kind === "guest");
        const restrict = (who: object, [state, minutes]: NonNullable<State>) =>
          olga.put("/api/room-people", { ...named("one"), ...who, state, minutes });
        if (ofGuest) await restrict({ person: guest.person }, ofGuest);
        if (ofAccount) await restrict({ username: ada.name }, ofAccount);
        expect(mine?.sender_name).toBe(ada.name);
        ada.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
        await claim(ada);
        const people = (await olga.get(peopleOf("one"))).body.data;
        const others = people.filter(({ is_owner }: { is_owner: boolean }) => !is_owner);
        expect(others).toMatchObject([{ kind: "member", state: expected?.[0] }]);
        expect(others[0].until !== null).toBe(expected?.[1] !== undefined);
      });

      const peopleOf = (token: string) =>
        `/api/room-people?soul_id=${room.soul_id}&session_token=${token}`;

      it("ends in a room that is the account's now", async () => {
        const ada = await hub.vip(`ada-${++names}`);
        await talk(browser, "one");
        await say(ada, named("one"), "Hello.");
        const db = hub.hub.database.db;
        await sql`insert into room_people (room_id, participant, name, restriction)
          select room_id, sender, sender_name, 'banned' from chat_messages
          where sender_name = ${ada.name}`.execute(db);
        expect((await history(ada, named("one"))).status).toBe(403);
        ada.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? "");
        await claim(ada);
        const people = (await ada.get(peopleOf("one"))).body.data;
        expect(people).toMatchObject([{ is_owner: true, state: "none" }]);
      });
    });

    it.each([
      ["signing out", (actor: Actor) => actor.post("/api/logout")],
      [
        "ending the own session",
        async (actor: Actor) => {
          const { sessions } = (await actor.get("/api/sessions")).body;
          return actor.delete(`/api/sessions/${sessions[0].id}`);
        },
      ],
    ])("%s makes the browser another guest", async (_, leave) => {
      await talk(browser, "one", { is_private: true });
      const old = browser.cookies.get(COOKIE);
      await signUp(browser);
      expect((await leave(browser)).status).toBe(200);
      expect(browser.cookies.get(COOKIE)).not.toBe(old);
      expect(failureOf(await talk(browser, "one"))).toEqual([403, "private_session"]);
    });
  },
);
