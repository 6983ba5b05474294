import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { rawZip } from "@soul-hub/soul-formats/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cardPicture, cardText, importFile } from "../../souls/exchange/exchange.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { type ChatHub, openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { comparable, downloadArchive, importArchive } from "../archive.fixture.ts";

const kinds = testDatabases();
describe.skipIf(kinds.length < 2).each(kinds)("the import of an account's archive (%s)", (kind) => {
  let from: ChatHub;
  let to: ChatHub;
  let ada: Actor;
  let bea: Actor;
  let archive: Uint8Array<ArrayBuffer>;
  let soulId: number;

  beforeAll(async () => {
    from = await startChatHub({ database: kind });
    to = await startChatHub({ database: kinds.find((other) => other !== kind) ?? kind });
    ada = await from.vip("ada");
    bea = await to.vip("bea");
    const bob = await from.vip("bob");
    const { body } = await importFile(ada, cardPicture());
    soulId = body.id;
    await importFile(ada, cardPicture(cardText({ scenario: "A storm.", nickname: "Ori" })), {
      soul_id: soulId,
    });
    await ada.put(`/api/soul/${soulId}`, {
      title: "Ørla",
      note: "Renamed.",
      is_public: 1,
      compatibility: "claude",
    });
    const room = { soul_id: soulId, session_token: "lobby" };
    const { body: first } = await say(ada, room, "Is it dark?");
    await say(bob, room, "Very.");
    await say(ada, room, "Another way.", { parent_id: first.message_id });
    const foreign = await openRoom(bob);
    await say(ada, foreign, "Hello, Bob.");
    await ada.post("/api/like", { soul_id: foreign.soul_id });
    archive = await downloadArchive(from, ada);
  });
  afterAll(async () => {
    await from.close();
    await to.close();
  });

  it("a dry run says what it would do, and changes nothing", async () => {
    const { status, body } = await importArchive(bea, archive, "?dry_run=1");
    expect(status).toBe(200);
    expect(body).toMatchObject({ dry_run: true, souls: { created: 1 }, versions: { created: 2 } });
    expect((await bea.get("/api/my-souls")).body.total).toBe(0);
  });

  it("makes the same account on another hub, and a second import makes nothing", async () => {
    const { body } = await importArchive(bea, archive);
    expect(body).toMatchObject({
      souls: { created: 1, unchanged: 0 },
      versions: { created: 2, unchanged: 0 },
      rooms: { created: 1, unchanged: 0 },
      lines: { created: 6, unchanged: 0 },
      skipped: [
        { path: "rooms/2.ndjson", reason: "its soul is not on this hub" },
        { path: "likes.ndjson", reason: "is about souls of another hub" },
      ],
      warnings: [],
    });
    const again = await importArchive(bea, archive);
    expect(again.body).toMatchObject({
      souls: { created: 0, unchanged: 1 },
      versions: { created: 0, unchanged: 2 },
      rooms: { created: 0, unchanged: 1 },
      lines: { created: 0, unchanged: 6 },
    });
    const before = await comparable(archive, "ada");
    const after = await comparable(await downloadArchive(to, bea), "bea");
    const { "rooms/2.ndjson": _, ...expected } = before;
    expect(after).toEqual(expected);
  });

  it("marks messages as imported, and gives those of others to nobody", async () => {
    const chats = (await bea.get("/api/my-chats")).body.sessions;
    const { soul_id, session_token } = chats[0];
    const { body } = await bea.get(`/api/chat?soul_id=${soul_id}&session_token=${session_token}`);
    expect(body.messages).toHaveLength(6);
    for (const message of body.messages) expect(message.imported).toBe(true);
    const stranger = await to.vip("eve");
    const entered = await stranger.get(
      `/api/chat?soul_id=${soul_id}&session_token=${session_token}`,
    );
    expect(entered.status).not.toBe(200);
    const senders = await to.hub.database.db
      .selectFrom("chat_messages")
      .select("sender")
      .distinct()
      .execute();
    expect(senders.map(({ sender }) => sender).sort()).toEqual(["account:1", "imported", "soul"]);
  });

  it("leaves a soul that was edited here, and says so", async () => {
    const [soul] = (await bea.get("/api/my-souls")).body.data;
    await bea.put(`/api/soul/${soul.id}`, { title: "Mine now" });
    const { body } = await importArchive(bea, archive);
    expect(body.skipped).toContainEqual({
      path: `souls/${soulId}`,
      reason: "was edited here since its import",
    });
    expect((await bea.get(`/api/soul/${soul.id}`)).body.data.title).toBe("Mine now");
  });

  it("refuses an archive that was cut off or changed, stores nothing and leaves no file", async () => {
    const before = await readdir(tmpdir());
    const flipped = archive.slice();
    flipped[60] = (flipped[60] ?? 0) ^ 1;
    for (const bytes of [archive.slice(0, -100), flipped, new Uint8Array([1, 2, 3])]) {
      const { status, body } = await importArchive(
        await to.vip(`v${Math.random().toString(36).slice(2, 8)}`),
        bytes,
      );
      expect([status, body.error]).toEqual([400, "import_invalid"]);
    }
    await eventually(async () => {
      const left = (await readdir(tmpdir())).filter((name) => name.startsWith("soul-hub-upload-"));
      expect(left.filter((name) => !before.includes(name))).toEqual([]);
    });
  });
});

describe.each(kinds)("a package whose manifest was brought up to date (%s)", (database) => {
  it("arrives as it was imported, with its former versions", async () => {
    await using hub = await startChatHub({ database });
    const [ada, bea] = [await hub.member("ada"), await hub.member("bea")];
    const files = {
      "SOUL.md": "# Orla",
      "soul.json": '{ "displayName": "Orla", "x": 1 }',
      "art/face.txt": "# Orla",
    };
    const zip = rawZip(Object.entries(files).map(([path, content]) => ({ path, content })));
    const { body } = await importFile(ada, zip);
    await ada.put(`/api/soul/${body.id}`, { title: "Keeper" });
    await ada.put(`/api/soul/${body.id}`, { content: "Changed." });
    const archive = await downloadArchive(hub, ada);
    const done = (await importArchive(bea, archive)).body;
    expect([done.skipped, done.souls.created, done.versions.created]).toEqual([[], 1, 2]);
    const arrived = await downloadArchive(hub, bea);
    expect(await comparable(arrived, "bea")).toEqual(await comparable(archive, "ada"));
  });
});
