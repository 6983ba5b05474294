import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { issueGuestCookie } from "../accounts/guest-id.ts";
import { StandingAnswers } from "../rest/standing-answers.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  signedIn,
  startChatHub,
  sync,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { ADMIN_TOKEN } from "../testing/test-hub.ts";
import { createVault } from "../vault.ts";

/** Docs/decisions/0021: who asks the same again gets the same text, as long as it would be made again. */
describe("a quiet poll", () => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  let last_id: number;
  /** The rooms' clock. */
  const now = performance.now.bind(performance);
  let waitedMs = 0;
  const wait = (ms: number) => {
    waitedMs += ms;
  };
  vi.spyOn(performance, "now").mockImplementation(() => now() + waitedMs);
  const given = vi.spyOn(StandingAnswers.prototype, "again");

  beforeEach(async () => {
    await hub?.close();
    hub = await startChatHub({ config: { rateLimits: true } });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    await say(vera, room, "Good evening.");
    await sync(vera, room);
    await eventually(() => expect(hub.hub.rooms.counts().subscriptions).toBe(1));
    last_id = (await sync(vera, room)).body.head;
  });
  afterAll(() => hub.close());

  const poll = (actor: Actor) => sync(actor, room, { last_id });
  const wasGivenAgain = async () => (await given.mock.results.at(-1)?.value) !== undefined;

  /** Has an answer that stands. */
  async function settled(actor: Actor): Promise<Actor> {
    // The first call may set a cookie, the next one makes the answer.
    for (let n = 0; n < 3; n++) await poll(actor);
    expect(await wasGivenAgain()).toBe(true);
    return actor;
  }

  /** A parameter that means nothing is another question, for which the ladder is climbed. */
  let asked = 0;
  const madeAnew = async (actor: Actor) => {
    const answer = await sync(actor, room, { last_id, n: asked++ });
    expect(await wasGivenAgain()).toBe(false);
    return answer;
  };
  const whole = ({ status, text, headers }: Answer) => {
    const own = new Set(["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"]);
    return { status, text, headers: [...headers].filter(([name]) => !own.has(name)) };
  };

  it.each([
    ["a guest", async () => hub.guest()],
    ["a key", async () => vera],
    ["a session", async () => signedIn(hub, "sam")],
  ])("is answered byte for byte as it was made, to %s", async (_, caller) => {
    const actor = await settled(await caller());
    const again = await poll(actor);
    expect(await wasGivenAgain()).toBe(true);
    expect(whole(again)).toEqual(whole(await madeAnew(actor)));
    expect(again.body).toMatchObject({ success: true, head: last_id, new_messages: [] });
    expect(again.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });

  it("is answered to HEAD, too, without its body", async () => {
    const actor = await settled(hub.guest());
    const { text } = await poll(actor);
    const query = new URLSearchParams({ ...room, last_id } as never);
    const head = await actor.send("HEAD", `/api/chat-sync?${query}`);
    expect(await wasGivenAgain()).toBe(true);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });

  it("tells each caller who they are", async () => {
    const [one, other] = [await settled(hub.guest()), await settled(hub.guest())];
    const [first, second] = [await poll(one), await poll(other)];
    expect(first.body.you.name).not.toBe(second.body.you.name);
    expect((await poll(await settled(vera))).body.you).toMatchObject({
      name: "vera",
      is_owner: true,
    });
  });

  it("counts against the limit, in the metrics and in the log", async () => {
    const actor = await settled(hub.guest());
    const route = 'soulhub_http_request_seconds_count{method="GET",route="/api/chat-sync"';
    const counted = async () => {
      const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const { text } = await hub.guest().get("/metrics", operator);
      return Number(
        text
          .split("\n")
          .find((line) => line.startsWith(route))
          ?.split(" ")[1],
      );
    };
    const left = ({ headers }: Answer) => Number(headers.get("ratelimit-remaining"));
    const lines = () => hub.log.filter((line) => line.includes("/api/chat-sync")).length;
    const [before, logged] = [await counted(), lines()];
    const first = await poll(actor);
    expect(left(first) - left(await poll(actor))).toBe(1);
    expect(await wasGivenAgain()).toBe(true);
    expect(await counted()).toBe(before + 2);
    expect(lines()).toBe(logged + 2);
  });

  it("is a sign of life", async () => {
    const actor = await settled(hub.guest());
    for (let n = 0; n < 2; n++) {
      wait(14_000);
      await settled(vera);
      await settled(actor);
    }
    wait(20_000);
    expect((await poll(vera)).body.online_count).toBe(2);
  });

  it("brings what is said next", async () => {
    const actor = await settled(hub.guest());
    await say(vera, room, "Is anybody there?");
    expect((await poll(actor)).body.new_messages).toHaveLength(2);
  });

  it("shows who comes and who goes", async () => {
    const actor = await settled(hub.guest());
    const newcomer = await settled(hub.guest());
    const { body } = await poll(actor);
    expect(body.online_count).toBe(3);
    expect(body.participants).toHaveLength(3);
    wait(20_000);
    await settled(actor);
    wait(20_000);
    expect((await poll(actor)).body.online_count).toBe(1);
    expect((await poll(newcomer)).body.online_count).toBe(2);
  });

  it("does not count a guest beside who they were before their cookie", async () => {
    const actor = await settled(hub.guest());
    const { online_count } = (await poll(actor)).body;
    // A page that is opened twice may ask without its cookie once more.
    expect((await poll(hub.guest())).body.online_count).toBe(online_count + 1);
    expect((await poll(actor)).body.online_count).toBe(online_count);
  });

  it("does not either when they are known to be there by another browser's name", async () => {
    const path = `/api/chat-sync?${new URLSearchParams({ ...room, last_id } as never)}`;
    const named = { "user-agent": "another browser" };
    await hub.guest().get(path, named);
    const actor = await settled(hub.guest());
    const { online_count } = (await actor.get(path)).body;
    expect((await actor.get(path, named)).body.online_count).toBe(online_count - 1);
  });

  it("shows a reply that is being written, and that it is over", async () => {
    const actor = await settled(hub.guest());
    const goOn = hub.provider.holdNext();
    const answer = say(vera, room, "Is it dark?");
    await eventually(async () => expect((await poll(actor)).body.replies).toHaveLength(1));
    expect((await poll(actor)).body.replies[0]).toMatchObject({ content: "Is it dark?" });
    goOn();
    await answer;
    expect((await poll(actor)).body).toMatchObject({ replies: [], new_messages: [{}, {}] });
  });

  it.each([
    ["its soul is hidden", 404, () => vera.put(`/api/soul/${room.soul_id}`, { is_public: 0 })],
    [
      "its soul has a gate",
      403,
      () => vera.put(`/api/soul/${room.soul_id}`, { nft_contract: "keys.near" }),
    ],
    ["its soul is deleted", 404, () => vera.delete(`/api/soul/${room.soul_id}`)],
    ["it is made private", 403, () => say(vera, room, "Just us.", { is_private: true })],
  ])("is refused at once when %s", async (_, refused, shut) => {
    const actor = await settled(hub.guest());
    expect((await shut()).status).toBe(200);
    expect((await poll(actor)).status).toBe(refused);
  });

  it("asks who may enter as often as ever", async () => {
    const actor = await settled(hub.guest());
    // Behind the hub's back: whoever asks the table hears of it.
    const souls = hub.hub.database.db.updateTable("souls").set({ is_public: 0 });
    await souls.where("id", "=", room.soul_id).execute();
    expect((await poll(actor)).status).toBe(200);
    wait(31_000);
    expect((await poll(actor)).status).toBe(404);
  });

  it("looks the key and the session up at every call", async () => {
    const key = await settled(await hub.vip("kim"));
    const page = await settled(await signedIn(hub, "sam"));
    await key.post("/api/api-key/rotate");
    expect((await poll(key)).status).toBe(401);
    const cookies = [...page.cookies];
    await page.post("/api/logout");
    for (const [name, value] of cookies) page.cookies.set(name, value);
    const { body, headers } = await poll(page);
    expect(body.you.kind).toBe("guest");
    expect(headers.getSetCookie().join()).toMatch(/soulhub_session=; Max-Age=0/);
  });

  it("hands out a cookie under the new key to whoever has one under the old", async () => {
    const [older, newer] = [1, 2].map((n) => ({ id: `k${n}`, key: new Uint8Array(32).fill(n) }));
    if (!older || !newer) throw new Error("no keys");
    hub.hub.vault = createVault([newer, older]);
    const actor = hub.guest();
    const cookie = issueGuestCookie(createVault([older]), Date.now() - 120_000).value;
    actor.cookies.set("soulhub_guest", cookie);
    await settled(actor);
    const held = actor.cookies.get("soulhub_guest");
    expect(held).not.toBe(cookie);
    actor.cookies.set("soulhub_guest", cookie);
    await poll(actor);
    expect(actor.cookies.get("soulhub_guest")).toBe(held);
  });

  it("is not kept for who has to be given a cookie", async () => {
    const nobody = () => hub.guest();
    for (let n = 0; n < 3; n++) {
      expect((await poll(nobody())).headers.getSetCookie()).toHaveLength(1);
      expect(await wasGivenAgain()).toBe(false);
    }
  });

  it("is answered 503 by a hub that stops", async () => {
    const actor = await settled(hub.guest());
    await hub.hub.drain();
    const { status, body } = await poll(actor);
    expect([status, body.error]).toEqual([503, "shutting_down"]);
  });
});
