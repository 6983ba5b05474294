import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { type GatedHub, NFT, startGatedHub } from "../../testing/gated-hub.ts";
import {
  failureCode,
  type LiveSocket,
  openSocket,
  type Visitor,
} from "../../testing/live-visitor.ts";

/** Decisions §6: a new NFT gate ends the subscriptions of clients without the NFT at once. */
describe("live rooms and an NFT gate", () => {
  let hub: GatedHub;
  let owner: Actor;
  let holder: Actor;
  let room: RoomName;
  let holders = 0;
  const sockets: LiveSocket[] = [];
  beforeAll(async () => {
    hub = await startGatedHub();
    owner = hub.people.owner;
  });
  beforeEach(async () => {
    hub.near.fault = null;
    hub.passTime(60_000);
    holder = await hub.holder(`holder-${++holders}`);
    room = await openRoom(owner);
    return async () => {
      await Promise.all(sockets.splice(0).map((socket) => socket.close()));
    };
  });
  afterAll(() => hub.close());

  const gate = (nft_contract: string | null = NFT) =>
    owner.put(`/api/soul/${room.soul_id}`, { nft_contract });
  const socketOf = (actor: Actor) => {
    const socket = openSocket(hub, actor);
    sockets.push(socket);
    return socket;
  };
  const inRoom = async (actor: Actor, name = room): Promise<Visitor> => {
    const visitor = socketOf(actor).join(name);
    await eventually(() => expect(visitor.types).toContain("sync"));
    return visitor;
  };
  const sell = () => hub.nft.take(`${holder.name}.near`);
  /**
   * Checks the rights of all subscriptions now. The hub itself repeats this check every 30 to 40 s.
   */
  const recheck = () => hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });

  it("ends subscriptions without the NFT with nft_required, and no other", async () => {
    const { guest, "without a wallet": walletless, "without a token": tokenless } = hub.people;
    const out = await Promise.all([guest, walletless, tokenless].map((actor) => inRoom(actor)));
    const other = await openRoom(owner);
    const elsewhere = await inRoom(guest, other);
    const stays = await Promise.all([owner, holder].map((actor) => inRoom(actor)));
    await gate();
    for (const visitor of out) {
      await eventually(() => expect(visitor.endedBy).toBe("nft_required"));
    }
    await say(owner, room, "Among ourselves.");
    for (const visitor of stays) await eventually(() => expect(visitor.ids).toHaveLength(2));
    await say(owner, other, "For everybody.");
    await eventually(() => expect(elsewhere.ids).toHaveLength(2));
    expect(JSON.stringify(out.map(({ events }) => events))).not.toContain("Among ourselves");
    expect([...stays, elsewhere].map(({ endedBy }) => endedBy)).toEqual(Array(3).fill(undefined));
    expect(sockets.map(({ connects, isOpen }) => [connects, isOpen])).toEqual(
      sockets.map(() => [1, true]),
    );
  });

  it("sends nothing before the gate has been checked", async () => {
    const visitor = await inRoom(holder);
    const { promise: answered, resolve: answer } = Promise.withResolvers<boolean>();
    hub.hub.chain = { ...hub.chain, ownsToken: () => answered };
    await gate();
    await say(owner, room, "Is he a holder?");
    answer(false);
    await eventually(() => expect(visitor.endedBy).toBe("nft_required"));
    hub.hub.chain = hub.chain;
    expect(visitor.ids).toEqual([]);
    expect(JSON.stringify(visitor.events)).not.toContain("Is he a holder?");
  });

  it("sends a holder all messages that were posted during the check", async () => {
    const visitor = await inRoom(holder);
    const { promise: answered, resolve: answer } = Promise.withResolvers<boolean>();
    hub.hub.chain = { ...hub.chain, ownsToken: () => answered };
    await gate();
    await say(owner, room, "Wait for him.");
    answer(true);
    await eventually(() => expect(visitor.ids).toHaveLength(2));
    hub.hub.chain = hub.chain;
    expect(visitor.endedBy).toBeUndefined();
  });

  it("does not recheck when the same gate is set again", async () => {
    await gate();
    const visitor = await inRoom(holder);
    hub.passTime(60_000);
    hub.near.fault = { status: 500 };
    await gate();
    await say(owner, room, "As before.");
    await eventually(() => expect(visitor.ids).toHaveLength(2));
    expect(visitor.endedBy).toBeUndefined();
  });

  it("ends no subscription when the gate is removed, and admits every client", async () => {
    await gate();
    const visitor = await inRoom(holder);
    await gate(null);
    const guest = await inRoom(hub.people.guest);
    await say(owner, room, "Open house.");
    for (const one of [visitor, guest]) await eventually(() => expect(one.ids).toHaveLength(2));
  });

  it("refuses every procedure of the socket", async () => {
    await gate();
    for (const actor of [hub.people["without a wallet"], hub.people.guest]) {
      const socket = socketOf(actor);
      const refused = socket.join(room);
      await eventually(() => expect(refused.endedBy).toBe("nft_required"));
      expect(refused.events).toEqual([]);
      const { client } = socket;
      const message = { ...room, content: "Hello" };
      const calls = [
        client.rooms.sync.query(room),
        client.rooms.typing.mutate(room),
        ...(actor.apiKey ? [client.chat.history.query(room)] : []),
        client.chat.send.mutate(message),
        client.social.fork.mutate({ soul_id: room.soul_id }),
      ];
      const codes = await Promise.all(calls.map((call) => call.catch(failureCode)));
      const own = actor.apiKey ? "nft_required" : "unauthenticated";
      expect(codes).toEqual([...codes.slice(0, -1).map(() => "nft_required"), own]);
      const { data } = await client.souls.read.query({ id: room.soul_id });
      expect([data.content, data.content_hidden]).toEqual(["", true]);
      expect(socket.isOpen).toBe(true);
    }
  });

  it("ends an SSE stream, too, and refuses another one", async () => {
    const input = encodeURIComponent(JSON.stringify(room));
    const stream = async () => {
      const headers = { accept: "text/event-stream" };
      return (await hub.people.guest.get(`/trpc/rooms.live?input=${input}`, headers)).text;
    };
    const listening = stream();
    await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(1));
    await gate();
    const heard = await listening;
    expect(heard).toContain('"error":"nft_required"');
    const refused = await stream();
    expect(refused).toContain('"error":"nft_required"');
    expect(refused).not.toContain('"type":"sync"');
  });

  describe("a subscribed holder", () => {
    let visitor: Visitor;
    beforeEach(async () => {
      await gate();
      visitor = await inRoom(holder);
    });

    /** Expects that a recheck changes nothing until `ms` have passed, and then ends the subscription. */
    async function expectEndAfter(ms: number, code: string) {
      hub.passTime(ms - 1);
      recheck();
      await say(owner, room, "Still here?");
      await eventually(() => expect(visitor.ids).toHaveLength(2));
      expect(visitor.endedBy).toBeUndefined();
      hub.passTime(1);
      recheck();
      await eventually(() => expect(visitor.endedBy).toBe(code));
    }

    it("is checked again by a recheck after 20 s, and disconnected without the NFT", async () => {
      sell();
      await expectEndAfter(20_000, "nft_required");
    });

    it("is disconnected by the next recheck after unlinking the wallet", async () => {
      await hub.hub.database.db
        .updateTable("accounts")
        .set({ wallet: null, wallet_key: null, wallet_verified: false })
        .where("username", "=", holder.name)
        .execute();
      recheck();
      await eventually(() => expect(visitor.endedBy).toBe("nft_required"));
    });

    it("keeps the cached answer for 60 s while the chain is down, is then disconnected, and reconnects", async () => {
      hub.near.fault = { status: 500 };
      await expectEndAfter(60_000, "chain_unavailable");
      hub.near.fault = null;
      await inRoom(holder);
    });
  });
});
