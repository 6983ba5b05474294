import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  sync,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { codeOf, type GatedHub, NFT, startGatedHub } from "../testing/gated-hub.ts";
import { createNft } from "../testing/near-contract.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §4, NFT gate. Who passes in general stands in nft-gate.table.test.ts. */
describe.each(testDatabases())("talking to a soul behind an NFT gate on %s", (database) => {
  let hub: GatedHub;
  let owner: Actor;
  let stranger: Actor;
  let holder: Actor;
  let room: RoomName;
  let holders = 0;
  beforeAll(async () => {
    hub = await startGatedHub(database);
    owner = hub.people.owner;
    stranger = hub.people["without a wallet"];
  });
  beforeEach(async () => {
    hub.near.fault = null;
    hub.passTime(60_000);
    holder = await hub.holder(`holder-${++holders}`);
    room = await hub.openGated();
  });
  afterAll(() => hub.close());

  const gate = (nft_contract: string | null, { soul_id } = room) =>
    owner.put(`/api/soul/${soul_id}`, { nft_contract });
  const sell = ({ name }: Actor) => hub.nft.take(`${name}.near`);

  it("is refused before anything is taken or asked", async () => {
    const asked = hub.provider.requests.length;
    const before = await remaining(stranger);
    expect(codeOf(await say(stranger, room, "Hello"))).toEqual([403, "nft_required"]);
    const streamed = await stranger.post(
      "/api/chat",
      { ...room, content: "Hello" },
      { accept: "text/event-stream" },
    );
    expect(codeOf(streamed)).toEqual([403, "nft_required"]);
    hub.near.fault = { status: 500 };
    expect(codeOf(await say(holder, room, "Hello"))).toEqual([503, "chain_unavailable"]);
    expect(await remaining(stranger)).toBe(before);
    expect(await remaining(holder)).toBe(200);
    expect(hub.provider.requests).toHaveLength(asked);
    expect((await history(owner, room)).body.messages).toEqual([]);
  });

  it("comes before the quota and the plan, and after what a body must hold and that the soul is there", async () => {
    const { guest } = hub.people;
    const page = async (content: string, more: object = {}) =>
      (await sayOnPage(guest, room, content, more)).body.error.data.error;
    expect(await page("x".repeat(1_001))).toBe("input_too_long");
    expect(await page("Hello", { deep_think: true })).toBe("nft_required");
    expect(await page("Hello", { soul_id: 2 ** 53 - 1 })).toBe("soul_not_found");
  });

  it("needs the gate's token of whoever enters a public room by its token, also to read", async () => {
    await say(holder, room, "Only for us.");
    for (const answer of [await sync(stranger, room), await history(stranger, room)]) {
      expect(codeOf(answer)).toEqual([403, "nft_required"]);
      expect(answer.text).not.toContain("Only for us");
    }
    expect((await sync(holder, room)).body.new_messages).toHaveLength(2);
    sell(holder);
    hub.passTime(60_000);
    // Also of whoever owns the room: the soul is another's.
    expect(codeOf(await history(holder, room))).toEqual([403, "nft_required"]);
  });

  it("leaves a private room its owner's alone, whoever else owns a token", async () => {
    await say(holder, room, "Between us.", { is_private: true });
    const other = await hub.holder(`other-${holders}`);
    expect(codeOf(await sync(other, room))).toEqual([403, "private_session"]);
    expect(codeOf(await sync(owner, room))).toEqual([403, "private_session"]);
  });

  it("asks again when a call has waited for its turn, before it takes a unit", async () => {
    await gate(null);
    const release = Array.from({ length: 8 }, () => hub.provider.holdNext());
    const running = release.map((_, n) =>
      say(stranger, { ...room, session_token: `room-${n}` }, "Hello"),
    );
    await eventually(() => expect(hub.hub.replies.size).toBe(8));
    const late = say(stranger, { ...room, session_token: "late" }, "Me too");
    await eventually(() => expect(hub.hub.turns.waiting).toBe(1));
    await gate(NFT);
    for (const go of release) go();
    expect(codeOf(await late)).toEqual([403, "nft_required"]);
    // Those who were let in before get their answer.
    expect((await Promise.all(running)).map(codeOf)).toEqual(Array(8).fill(200));
    expect(await remaining(stranger)).toBe(200 - 8);
  });

  it("keeps what a room remembers from who may no longer enter it, though the room is theirs", async () => {
    await say(holder, room, "Remember me.");
    const correct = (actor: Actor) => actor.put("/api/my-chats", { ...room, summary: "A pilot." });
    expect(codeOf(await correct(holder))).toBe(200);
    sell(holder);
    hub.passTime(60_000);
    expect(codeOf(await correct(holder))).toEqual([403, "nft_required"]);
    hub.near.fault = { status: 500 };
    expect(codeOf(await correct(holder))).toEqual([503, "chain_unavailable"]);
  });

  it("keeps a failure for its Idempotency-Key, but not that the chain was away", async () => {
    const keyed = (actor: Actor) =>
      actor.post("/api/chat", { ...room, content: "Hello" }, { "idempotency-key": "one" });
    hub.near.fault = { status: 500 };
    expect(codeOf(await keyed(holder))).toEqual([503, "chain_unavailable"]);
    hub.near.fault = null;
    const first = await keyed(holder);
    expect(first.status).toBe(200);
    await gate("another.near");
    expect((await keyed(holder)).body).toEqual(first.body);
  });

  describe("GET /api/my-chats", () => {
    const chats = async (actor: Actor) => (await actor.get("/api/my-chats")).body;
    const souls = async (actor: Actor) =>
      (await chats(actor)).sessions.map(({ soul_id }: RoomName) => soul_id);

    it("lists a gated room to who may still enter it", async () => {
      const open = await openRoom(owner);
      for (const name of [open, room]) await say(holder, name, "Hello");
      expect(await souls(holder)).toEqual([room.soul_id, open.soul_id]);
      sell(holder);
      expect(await souls(holder)).toEqual([room.soul_id, open.soul_id]);
      hub.passTime(60_000);
      expect(await chats(holder)).toMatchObject({ sessions: [open], unchecked_count: 0 });
      await gate(null);
      expect(await souls(holder)).toEqual([room.soul_id, open.soul_id]);
    });

    it("shows the soul's owner their own rooms, and asks nobody", async () => {
      await say(owner, room, "Mine.");
      hub.near.fault = "reset";
      expect((await souls(owner))[0]).toBe(room.soul_id);
    });

    it("goes on without the chain: what it can't say is left out and counted", async () => {
      const open = await openRoom(owner);
      for (const name of [open, room, { ...room, session_token: "two" }]) {
        await say(holder, name, "Hello");
      }
      hub.passTime(60_000);
      hub.near.fault = { status: 500 };
      expect(await chats(holder)).toMatchObject({ sessions: [open], unchecked_count: 2 });
      await hub.withoutChain(async () => {
        expect(await chats(holder)).toMatchObject({ sessions: [open], unchecked_count: 2 });
      });
      // Who has no wallet that counts is refused without the chain.
      await gate(null);
      await say(stranger, room, "Hello");
      await gate(NFT);
      expect(await chats(stranger)).toMatchObject({ unchecked_count: 0 });
      expect(await souls(stranger)).not.toContain(room.soul_id);
    });

    it("asks the chain about 20 contracts at most", async () => {
      const nft = createNft();
      nft.give(`${holder.name}.near`);
      const rooms = await Promise.all(Array.from({ length: 22 }, () => openRoom(owner)));
      for (const name of rooms) await say(holder, name, "Hello");
      for (const [n, name] of rooms.entries()) {
        hub.near.contract(`nft-${n}.near`, nft.methods);
        await gate(`nft-${n}.near`, name);
      }
      const asked = hub.near.requests.length;
      const { sessions, unchecked_count } = await chats(holder);
      expect([sessions.length, unchecked_count]).toEqual([20, 2]);
      expect(hub.near.requests.length - asked).toBe(20);
    });
  });
});
