import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, say, sayOnPage, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, openSocket } from "../../testing/live-visitor.ts";

/** Decisions §3, Guest: a guest may choose a name, which its cookie holds. */
describeRoom("the name of a guest", { owner: "olga" }, (hub, owner, room) => {
  let guest: Actor;

  beforeAll(async () => {
    await hub.member("Ben");
  });
  beforeEach(async () => {
    await say(owner, room, "Come in.");
    guest = hub.guest();
    await sync(guest, room);
    await hub.hub.database.db.deleteFrom("quota_days").execute();
  });

  const rename = (actor: Actor, name: unknown) => actor.put("/api/guest-name", { name });
  const nameOf = async (actor: Actor) => (await sync(actor, room)).body.you.name;
  const ANONYMOUS = /^Anonymous #[0-9a-f]{4}$/;

  it("is shown everywhere from then on, and stored messages keep theirs", async () => {
    const before = await nameOf(guest);
    expect(before).toMatch(ANONYMOUS);
    await sayOnPage(guest, room, "Hello.");
    const { status, body } = await rename(guest, "  Robin B. ");
    expect([status, body.name]).toEqual([200, "Robin B. (guest)"]);
    expect(await nameOf(guest)).toBe("Robin B. (guest)");
    await sayOnPage(guest, room, "It's me.");
    await using visitor = joinAs(hub, guest, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const [joined] = visitor.of("sync");
    expect(joined?.you?.name).toBe("Robin B. (guest)");
    // It is the same participant, once, with its new name.
    const names = joined?.participants.map(({ name }) => name);
    expect(names).toEqual(["Robin B. (guest)"]);
    const { messages } = (await history(owner, room)).body;
    const senders = messages
      .filter(({ role }: { role: string }) => role === "user")
      .map(({ sender_name }: { sender_name: string }) => sender_name);
    expect(senders).toEqual(["olga", before, "Robin B. (guest)"]);
    // In prompts, a name ends with a letter or digit.
    expect(hub.provider.requests.at(-1)?.messages.at(-1)?.content).toContain("Robin B (guest)");

    expect((await rename(guest, null)).body.name).toBe(before);
    expect(await nameOf(guest)).toBe(before);
  });

  it("reaches the page's other calls, and an open subscription at its next join", async () => {
    const socket = openSocket(hub, guest);
    const visitor = socket.join(room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    expect((await guest.post("/trpc/accounts.setGuestName", { name: "Robin" })).status).toBe(200);
    expect(await nameOf(guest)).toBe("Robin (guest)");
    await socket.close();
    await using again = joinAs(hub, guest, room);
    await eventually(() => expect(again.types).toContain("sync"));
    expect(again.of("sync")[0]?.you?.name).toBe("Robin (guest)");
  });

  it("gives a guest without a cookie one", async () => {
    const stranger = hub.guest();
    expect((await rename(stranger, "Robin")).status).toBe(200);
    expect(await nameOf(stranger)).toBe("Robin (guest)");
    expect(await nameOf(hub.guest())).toMatch(ANONYMOUS);
  });

  it.each(["ben", "BEN", "Ben ", "ＢＥＮ", "olga", "admin", "Anonymous"])(
    "is no username: %j",
    async (name) => {
      expect(failureOf(await rename(guest, name))).toEqual([409, "username_taken"]);
      expect(await nameOf(guest)).toMatch(ANONYMOUS);
    },
  );

  it.each([
    ...["a", "x".repeat(24), "Zoë", "山田 太郎", "हिन्दी", "J. R-B_2", "O'Brien", "D’Ávila"],
    // Joiners within words: a conjunct of Sinhala and Devanagari, and a verb of Persian.
    ...["ක්‍රියා", "क्‍ष", "می‌روم"],
  ])("may be %j", async (name) => {
    expect((await rename(guest, name)).body.name).toBe(`${name} (guest)`);
    expect(await nameOf(guest)).toBe(`${name} (guest)`);
  });

  it.each([
    ...[
      "",
      " ",
      "x".repeat(25),
      "a  b",
      "a\tb",
      "a\nb",
      "a (guest)",
      "<b>",
      "a@b",
      "🦉",
      "a\u200bb",
    ],
    ...["\u202eevil", "a\u0301\u0302\u0303\u0304", 7, undefined],
    // Letters and marks without a shape: fillers of Hangul, a joiner, a selector of variants.
    ...[
      "ol\u200dga",
      "olga\u200d",
      "é\u200ce",
      "ක්\u200d",
      "ක\u200d\u200dය",
      "'",
      "a'",
      "'a",
      "O''B",
      "1'a",
    ],
    ...["\u3164", "olga\u3164", "\uffa0\u1160", "a\u034f", "a\ufe0f", "\u200d", "a\u{16fe4}"],
  ])("may not be %j", async (name) => {
    const { status, body } = await rename(guest, name);
    expect([status, body.error]).toEqual([400, "invalid_input"]);
  });

  it("is refused to an account, and over a WebSocket", async () => {
    expect(failureOf(await rename(owner, "Robin"))).toEqual([400, "invalid_input"]);
    await using socket = openSocket(hub, guest);
    const named = socket.client.accounts.setGuestName.mutate({ name: "Robin" });
    await expect(named).rejects.toMatchObject({ data: { error: "invalid_input" } });
  });

  it("needs the hub's signature", async () => {
    const [key, cookie] = [...guest.cookies][0] ?? ["", ""];
    const [id, issued, signature] = cookie.split(".");
    const forged = [id, issued, Buffer.from("olga").toString("base64url"), signature].join(".");
    guest.cookies.set(key, forged);
    expect(await nameOf(guest)).toMatch(ANONYMOUS);
  });
});
