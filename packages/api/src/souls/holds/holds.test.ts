import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { accountId } from "../../moderation/staff.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { insertSoul } from "../souls.service.ts";
import { announceHolds } from "./announce-holds.ts";
import { holdSouls, releaseSouls } from "./hold-souls.ts";
import type { HoldKind } from "./soul-hold.entity.ts";

/** Holds keep souls private, whatever their author sets (0061). */
describeHub("held souls", {}, (hub) => {
  let ada: Actor;
  let open: number;
  let own: number;

  beforeAll(async () => {
    ada = await hub.member("ada");
  });
  beforeEach(async () => {
    open = await publish({});
    own = await publish({ is_public: 0 });
  });

  const publish = async (more: object, by = ada): Promise<number> =>
    (await by.post("/api/souls", { title: "Orla", content: "I keep the light.", ...more })).body.id;
  const texts = {
    title: "Orla",
    description: "",
    content: "I keep the light.",
    role: "Other",
    domain: "",
    compatibility: "any",
  };
  const both = (kind: HoldKind) => ({ soulIds: [open, own], kind });
  const moved = async (move: typeof holdSouls, souls: Parameters<typeof holdSouls>[1]) => {
    const ids = await hub.hub.database.db.transaction().execute((tx) => move(tx, souls));
    announceHolds(hub.hub, ids);
    return ids;
  };
  const read = async (id: number, by = hub.guest()) => (await by.get(`/api/soul/${id}`)).status;
  const listed = async () => {
    const { body } = await hub.guest().get("/api/souls?q=Orla&limit=100");
    return body.data.map(({ id }: { id: number }) => id);
  };

  it("are private for all but their author, and as visible as before after the last hold", async () => {
    expect(await moved(holdSouls, both("moderation"))).toEqual([open]);
    expect(await moved(holdSouls, both("suspension"))).toEqual([]);
    expect([await read(open), await read(open, ada)]).toEqual([404, 200]);
    expect(await listed()).not.toContain(open);
    expect(await moved(releaseSouls, both("moderation"))).toEqual([]);
    expect(await read(open)).toBe(404);
    expect(await moved(releaseSouls, both("suspension"))).toEqual([open]);
    expect([await read(open), await read(own)]).toEqual([200, 404]);
    expect(await listed()).toContain(open);
  });

  it("remember the first visibility when two holds are added at once", async () => {
    await Promise.all([
      moved(holdSouls, both("moderation")),
      moved(holdSouls, both("deletion")),
      moved(holdSouls, both("suspension")),
    ]);
    for (const kind of ["suspension", "moderation", "deletion"] as const) {
      await moved(releaseSouls, both(kind));
    }
    expect([await read(open), await read(own)]).toEqual([200, 404]);
  });

  it("of an account are all of its souls, and no others", async () => {
    const ben = await hub.member(`ben-${open}`);
    const other = await publish({}, ben);
    const id = await accountId(hub, ben.name);
    expect(await moved(holdSouls, { ownerId: id, kind: "deletion" })).toEqual([other]);
    expect([await read(open), await read(other)]).toEqual([200, 404]);
    await moved(releaseSouls, { ownerId: id, kind: "deletion" });
    expect(await read(other)).toBe(200);
  });

  it("that arrive while their account is suspended or closed are held with the others", async () => {
    const name = `late-${open}`;
    const late = await hub.member(name);
    await publish({ title: "First" }, late);
    const ownerId = await accountId(hub, name);
    const { db } = hub.hub.database;
    const fields = { ...texts, is_public: 1, nft_contract: null };
    const restrict = (set: object) =>
      db.updateTable("accounts").set(set).where("id", "=", ownerId).execute();
    const arrived: number[] = [];
    for (const [kind, set, lifted] of [
      [
        "suspension",
        { suspension: sql`'{"until":null,"reason":"spam","decision_id":null}'::jsonb` },
        { suspension: null },
      ],
      ["deletion", { deletes_at: sql`hub_now() + interval '3 days'` }, { deletes_at: null }],
    ] as const) {
      await restrict(set);
      await moved(holdSouls, { ownerId, kind });
      const open = await insertSoul(db, ownerId, fields);
      const own = await insertSoul(db, ownerId, { ...fields, is_public: 0 });
      expect([kind, await read(open), await listed()]).toEqual([
        kind,
        404,
        expect.not.arrayContaining([open]),
      ]);
      await restrict(lifted);
      expect(await moved(releaseSouls, { ownerId, kind })).toContain(open);
      expect([kind, await read(open), await read(own)]).toEqual([kind, 200, 404]);
      arrived.push(open);
    }
    expect(await listed()).toEqual(expect.arrayContaining(arrived));
  });

  it("stay private when their author edits them, and each edit counts", async () => {
    await moved(holdSouls, both("moderation"));
    const edited = await ada.put(`/api/soul/${open}`, { title: "Orla II", is_public: 1 });
    expect(edited.body).toMatchObject({ success: true, version: 2 });
    await ada.put(`/api/soul/${own}`, { title: "Ben II", is_public: 1 });
    expect([await read(open), await read(own)]).toEqual([404, 404]);
    await moved(releaseSouls, both("moderation"));
    expect([await read(open), await read(own)]).toEqual([200, 404]);
  });

  it("end the visits to their rooms, and can be entered again after the release", async () => {
    const room = { soul_id: open, session_token: "lobby" };
    await using visitor = joinAs(hub, hub.guest(), room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    await moved(holdSouls, both("moderation"));
    await eventually(() => expect(visitor.endedBy).toBe("soul_not_found"));
    await moved(releaseSouls, both("moderation"));
    await using again = joinAs(hub, hub.guest(), room);
    await eventually(() => expect(again.types).toContain("sync"));
  });

  it("of an account end their visits and change their rooms together", async () => {
    const owner = await hub.vip(`otto-${open}`);
    const host = await publish({ title: "Host" });
    const guests = [await publish({ title: "One" }, owner), await publish({ title: "Two" }, owner)];
    const vera = await hub.vip(`vera-${open}`);
    const room = { soul_id: host, session_token: "shared" };
    await vera.post("/api/chat", { ...room, content: "Hello." });
    const souls = [host, ...guests].map((soul_id) => ({ soul_id }));
    expect((await vera.put("/api/room", { ...room, souls })).status).toBe(200);
    const settings = async () =>
      (await vera.get(`/api/room?soul_id=${host}&session_token=shared`)).body.data;
    const { revision } = await settings();
    const lobby = (soul_id: number | undefined) => ({ soul_id: soul_id ?? 0, session_token: "l" });
    await using one = joinAs(hub, hub.guest(), lobby(guests[0]));
    await using two = joinAs(hub, hub.guest(), lobby(guests[1]));
    await using other = joinAs(hub, hub.guest(), lobby(host));
    for (const visitor of [one, two, other]) {
      await eventually(() => expect(visitor.types).toContain("sync"));
    }
    const rechecks = vi.spyOn(hub.hub.rooms, "recheckAll");
    await moved(holdSouls, { ownerId: await accountId(hub, owner.name), kind: "suspension" });
    await eventually(() => {
      expect([one.endedBy, two.endedBy]).toEqual(["soul_not_found", "soul_not_found"]);
    });
    await eventually(async () => expect((await settings()).souls).toHaveLength(1));
    await eventually(async () => expect((await settings()).revision).toBe(revision + 1));
    expect(rechecks).toHaveBeenCalledTimes(1);
    expect(other.endedBy).toBe(undefined);
    rechecks.mockRestore();
  });

  it("are gone from the rooms whose guests they are, and return with a revision", async () => {
    const host = await publish({ title: "Host" });
    const room = { soul_id: host, session_token: "shared" };
    const owner = await hub.vip(`vera-${host}`);
    await owner.post("/api/chat", { ...room, content: "Hello." });
    const souls = [{ soul_id: host }, { soul_id: open }];
    expect((await owner.put("/api/room", { ...room, souls })).status).toBe(200);
    const settings = async () => {
      const { body } = await owner.get(`/api/room?soul_id=${host}&session_token=shared`);
      return body.data;
    };
    await using visitor = joinAs(hub, owner, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const { revision } = await settings();
    await moved(holdSouls, both("moderation"));
    await eventually(async () => expect((await settings()).revision).toBe(revision + 1));
    expect((await settings()).souls).toMatchObject([{ soul_id: host }]);
    // A message would take a guest out that its author has made private.
    await owner.post("/api/chat", { ...room, content: "Hello again." });
    await moved(releaseSouls, both("moderation"));
    await eventually(() =>
      expect(visitor.of("changed").at(-1)).toMatchObject({
        revision: revision + 2,
        room: { souls },
      }),
    );
  });
});
