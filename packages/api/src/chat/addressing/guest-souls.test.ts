import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, remaining, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { roomRow } from "../tree/tree.fixture.ts";
import { openSharedRoom, type SharedRoom, soulOf } from "./several-souls.fixture.ts";

/** 0041: a guest soul that not everyone may use any more leaves its rooms, with a revision. */
describeChat("a withdrawn guest soul", {}, (hub) => {
  let vera: Actor;
  let author: Actor;
  let shared: SharedRoom;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    author = await hub.vip("author");
  });
  beforeEach(async () => {
    shared = await openSharedRoom(vera, author);
  });
  const put = (id: number, fields: object) => author.put(`/api/soul/${id}`, fields);
  const handles = async () => {
    const { soul_id, session_token } = shared.room;
    const { body } = await vera.get(
      `/api/room?${new URLSearchParams({ soul_id: String(soul_id), session_token })}`,
    );
    return body.data.souls.map(({ handle }: { handle: string }) => handle);
  };
  const replier = async (content: string, more: object = {}) => {
    const answer = await say(vera, shared.room, content, more);
    return answer.body.sender_name ?? failureOf(answer)[1];
  };

  it.each([
    ["private", () => put(shared.ben, { is_public: 0 })],
    ["gated", () => put(shared.ben, { nft_contract: "pass.near" })],
    ["deleted", () => author.delete(`/api/soul/${shared.ben}`)],
  ])("drops out if it becomes %s, for listeners and pollers", async (_, withdraw) => {
    await using watcher = joinAs(hub, author, shared.room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const [{ revision = -1 } = {}] = watcher.of("sync");
    const { head } = (await sync(vera, shared.room)).body;
    const waiting = sync(vera, shared.room, { last_id: head, revision, wait: 25 });
    expect((await withdraw()).status).toBe(200);
    const { body } = await waiting;
    const guests = [{ soul_id: shared.orla }, { soul_id: shared.cara }];
    expect(body.room).toMatchObject({ revision: revision + 1, souls: guests });
    await eventually(() =>
      expect(watcher.of("changed").at(-1)).toMatchObject({
        revision: revision + 1,
        room: { souls: guests },
      }),
    );
    expect((await roomRow(hub, shared.room)).souls).toHaveLength(2);
    expect(await replier("@ben?")).toBe("Orla");
    expect(await replier("You?", { to: [shared.ben] })).toBe("soul_not_found");
  });

  it("does not reply after the owner has taken it out of the room meanwhile", async () => {
    const { orla, ben, room, set } = shared;
    const seen = hub.provider.requests.length;
    const left = await remaining(vera);
    const goOn = hub.provider.holdNext();
    const asked = say(vera, room, "@ben @cara");
    await hub.provider.received(seen + 1);
    await set({ souls: [{ soul_id: orla }, { soul_id: ben }] });
    goOn();
    const { replies } = (await asked).body;
    expect(replies).toMatchObject([{ sender_name: "Ben" }, { error: "soul_not_found" }]);
    expect(hub.provider.requests.slice(seen).map(soulOf)).toEqual(["Ben"]);
    expect(await remaining(vera)).toBe(left - 1);
    expect((await history(vera, room)).body.messages.at(-1).sender_name).toBe("Ben");
  });

  it("does not come back by itself", async () => {
    await put(shared.ben, { is_public: 0 });
    await eventually(async () => expect((await roomRow(hub, shared.room)).souls).toHaveLength(2));
    await put(shared.ben, { is_public: 1 });
    expect(await handles()).toEqual(["orla", "cara"]);
  });

  it("stays, if it was public again before its rooms were changed", async () => {
    await hub.hub.dropGuestSoul(shared.ben);
    expect(await handles()).toEqual(["orla", "ben", "cara"]);
  });

  it("leaves more rooms than one statement changes, and the room of its own", async () => {
    const { db } = hub.hub.database;
    await put(shared.ben, { title: "Ben II" });
    await say(vera, { soul_id: shared.ben, session_token: "own" }, "Hello.");
    await sql`
      insert into chat_rooms (soul_id, token_hash, token_sealed, owner, souls)
      select soul_id, 'copy-' || n, '', owner, souls
      from chat_rooms, generate_series(1, 250) as n
      where id = ${(await roomRow(hub, shared.room)).id}`.execute(db);
    await put(shared.ben, { is_public: 0 });
    await eventually(async () => {
      const { rows } = await sql<{ left: number; revised: number }>`
        select count(*) filter (where jsonb_array_length(souls) = 3)::int as left,
          count(*) filter (where revision = 1)::int as revised
        from chat_rooms where token_hash like 'copy-%'`.execute(db);
      expect(rows).toEqual([{ left: 0, revised: 250 }]);
    });
    const own = { soul_id: shared.ben, session_token: "own" };
    expect((await say(author, own, "Hello.")).status).toBe(200);
  });

  it("is refused at once, even if its room still names it", async () => {
    // As a server of the first release leaves it, which knows no guests.
    await sql`update souls set is_public = 0 where id = ${shared.ben}`.execute(hub.hub.database.db);
    expect(await replier("@ben?")).toBe("Orla");
    expect(await replier("@ben?", { to: [shared.ben] })).toBe("soul_not_found");
    // The message has found it out.
    await eventually(async () => expect((await roomRow(hub, shared.room)).souls).toHaveLength(2));
  });

  it("gives no reply after it is withdrawn before its turn", async () => {
    const seen = hub.provider.requests.length;
    const goOn = hub.provider.holdNext();
    const answer = say(vera, shared.room, "@cara @ben");
    await hub.provider.received(seen + 1);
    await put(shared.ben, { is_public: 0 });
    goOn();
    const { replies } = (await answer).body;
    expect(replies).toMatchObject([{ sender_name: "Cara" }, { error: "soul_not_found" }]);
    expect(hub.provider.requests.slice(seen).map(soulOf)).toEqual(["Cara"]);
  });

  it("cannot join while it is being withdrawn", async () => {
    const { orla, ben, cara, set } = shared;
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        n === 4
          ? put(ben, { is_public: 0 })
          : set({ souls: [{ soul_id: orla }, { soul_id: n % 2 === 0 ? ben : cara }] }),
      ),
    );
    for (const answer of outcomes) {
      if (answer.status !== 200)
        expect(failureOf(answer)[1]).toMatch(/^soul_not_(found|eligible)$/);
    }
    await eventually(async () => {
      const stored = JSON.stringify((await roomRow(hub, shared.room)).souls);
      expect(stored).not.toContain(`"soul_id":${ben},`);
      expect(stored).not.toContain(`"soul_id": ${ben},`);
    });
  });
});
