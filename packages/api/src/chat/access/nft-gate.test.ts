import { describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  sync,
} from "../../testing/chat-hub.ts";
import { describeGatedSoul } from "../../testing/describe-gated-soul.ts";
import { eventually } from "../../testing/eventually.ts";
import { codeOf, NFT } from "../../testing/gated-hub.ts";

/** Decisions §4, NFT gate. nft-gate.matrix.test.ts covers all actors and endpoints. */
describeGatedSoul("chat with a soul behind an NFT gate", (hub, soul) => {
  const gate = (nft_contract: string | null, { soul_id } = soul.room) =>
    soul.owner.put(`/api/soul/${soul_id}`, { nft_contract });
  const sell = ({ name }: Actor) => hub.nft.take(`${name}.near`);

  it("is refused before the quota is reserved and the model called", async () => {
    const asked = hub.provider.requests.length;
    const before = await remaining(soul.stranger);
    expect(codeOf(await say(soul.stranger, soul.room, "Hello"))).toEqual([403, "nft_required"]);
    const streamed = await soul.stranger.post(
      "/api/chat",
      { ...soul.room, content: "Hello" },
      { accept: "text/event-stream" },
    );
    expect(codeOf(streamed)).toEqual([403, "nft_required"]);
    hub.near.fault = { status: 500 };
    expect(codeOf(await say(soul.holder, soul.room, "Hello"))).toEqual([503, "chain_unavailable"]);
    expect(await remaining(soul.stranger)).toBe(before);
    expect(await remaining(soul.holder)).toBe(200);
    expect(hub.provider.requests).toHaveLength(asked);
    expect((await history(soul.owner, soul.room)).body.messages).toEqual([]);
  });

  it("is checked after the body and the soul, and before plan and quota", async () => {
    const { guest } = hub.people;
    const page = async (content: string, more: object = {}) =>
      (await sayOnPage(guest, soul.room, content, more)).body.error.data.error;
    expect(await page("x".repeat(1_001))).toBe("input_too_long");
    expect(await page("Hello", { deep_think: true })).toBe("nft_required");
    expect(await page("Hello", { soul_id: 2 ** 53 - 1 })).toBe("soul_not_found");
  });

  it("requires an NFT to enter a public room, also to read it", async () => {
    await say(soul.holder, soul.room, "Only for us.");
    for (const answer of [
      await sync(soul.stranger, soul.room),
      await history(soul.stranger, soul.room),
    ]) {
      expect(codeOf(answer)).toEqual([403, "nft_required"]);
      expect(answer.text).not.toContain("Only for us");
    }
    expect((await sync(soul.holder, soul.room)).body.new_messages).toHaveLength(2);
    sell(soul.holder);
    hub.passTime(60_000);
    // The owner of the room reads on, but another account owns the soul.
    expect(codeOf(await history(soul.holder, soul.room))).toBe(200);
    expect(codeOf(await say(soul.holder, soul.room, "And now?"))).toEqual([403, "nft_required"]);
  });

  it("keeps a private room closed to other holders", async () => {
    await say(soul.holder, soul.room, "Between us.", { is_private: true });
    const other = await hub.holder(`${soul.holder.name}-other`);
    expect(codeOf(await sync(other, soul.room))).toEqual([403, "private_session"]);
    expect(codeOf(await sync(soul.owner, soul.room))).toEqual([403, "private_session"]);
  });

  it("is checked again after a call waited in the queue, before a unit is reserved", async () => {
    await gate(null);
    const release = Array.from({ length: 8 }, () => hub.provider.holdNext());
    const running = release.map((_, n) =>
      say(soul.stranger, { ...soul.room, session_token: `room-${n}` }, "Hello"),
    );
    await eventually(() => expect(hub.hub.replies.size).toBe(8));
    const late = say(soul.stranger, { ...soul.room, session_token: "late" }, "Me too");
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(1));
    await gate(NFT);
    for (const go of release) go();
    expect(codeOf(await late)).toEqual([403, "nft_required"]);
    // Calls that were admitted before the soul got its gate still receive their reply.
    expect((await Promise.all(running)).map(codeOf)).toEqual(Array(8).fill(200));
    expect(await remaining(soul.stranger)).toBe(200 - 8);
  });

  it("hides the summary from a room's owner who may no longer enter", async () => {
    await say(soul.holder, soul.room, "Remember me.");
    const correct = (actor: Actor) =>
      actor.put("/api/my-chats", { ...soul.room, summary: "A pilot." });
    expect(codeOf(await correct(soul.holder))).toBe(200);
    sell(soul.holder);
    hub.passTime(60_000);
    expect(codeOf(await correct(soul.holder))).toEqual([403, "nft_required"]);
    hub.near.fault = { status: 500 };
    expect(codeOf(await correct(soul.holder))).toEqual([503, "chain_unavailable"]);
  });

  it("stores nft_required for an Idempotency-Key, but not chain_unavailable", async () => {
    const keyed = (actor: Actor) =>
      actor.post("/api/chat", { ...soul.room, content: "Hello" }, { "idempotency-key": "one" });
    hub.near.fault = { status: 500 };
    expect(codeOf(await keyed(soul.holder))).toEqual([503, "chain_unavailable"]);
    hub.near.fault = null;
    const first = await keyed(soul.holder);
    expect(first.status).toBe(200);
    await gate("another.near");
    expect((await keyed(soul.holder)).body).toEqual(first.body);
  });

  describe("GET /api/my-chats", () => {
    const chats = async (actor: Actor) => (await actor.get("/api/my-chats")).body;
    const souls = async (actor: Actor) =>
      (await chats(actor)).sessions.map(({ soul_id }: RoomName) => soul_id);

    it("lists a gated room to its people, whatever they hold, and asks no chain", async () => {
      const open = await openRoom(soul.owner);
      for (const name of [open, soul.room]) await say(soul.holder, name, "Hello");
      sell(soul.holder);
      hub.passTime(60_000);
      const asked = hub.near.requests.length;
      expect(await souls(soul.holder)).toEqual([soul.room.soul_id, open.soul_id]);
      expect(await chats(soul.holder)).toMatchObject({ unchecked_count: 0 });
      expect(await souls(soul.stranger)).not.toContain(soul.room.soul_id);
      expect(hub.near.requests).toHaveLength(asked);
    });
  });
});
