import { beforeEach, describe, expect, it } from "vitest";
import { cardText, importFile, storedPackages } from "../../souls/exchange/exchange.fixture.ts";
import { sha256 } from "../../souls/packages/packages.queries.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, startChatHub } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { testDatabases } from "../../testing/test-database.ts";
import {
  archiveOf,
  formerVersion,
  importArchive,
  message,
  roomFile,
  soulFiles,
} from "../archive.fixture.ts";

const MB = 1024 * 1024;
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Archives come from strangers (0053). */
describeChat("a hostile archive", { databases: testDatabases() }, (hub) => {
  let eve: Actor;
  let accounts = 0;
  beforeEach(async () => {
    eve = await hub.vip(`eve-${++accounts}`);
  });

  const stored = async () => {
    const souls = (await eve.get("/api/my-souls")).body.total;
    const rooms = (await eve.get("/api/my-chats")).body.sessions.length;
    return [souls, rooms, ...(await storedPackages(hub.hub.database))];
  };

  it.each<[string, () => Buffer]>([
    ["that is no archive", () => archiveOf({}, { manifest: { format: "zip" } })],
    ["of a later version", () => archiveOf({}, { manifest: { v: 2 } })],
    ["of a hub without an id", () => archiveOf({}, { hub_id: "" })],
    ["of a hub with an odd id", () => archiveOf({}, { hub_id: "a\u0000b" })],
    [
      "with a file that the manifest does not name",
      () => archiveOf(soulFiles(7), { manifest: { files: [] } }),
    ],
    [
      "without a file that the manifest names",
      () => archiveOf({}, { manifest: { files: [{ path: "x", size: 0, sha256: sha256("") }] } }),
    ],
    [
      "with a manifest of 300,000 values",
      () => archiveOf({}, { manifest: { extra: upTo(300_000) } }),
    ],
    [
      "with 1,001 souls",
      () => archiveOf(Object.fromEntries(upTo(1_001).map((id) => [`souls/${id}/x`, ""]))),
    ],
    [
      "with more messages than its manifest counts",
      () => archiveOf({ "rooms/1.ndjson": Buffer.alloc(260_000, "\n") }),
    ],
    [
      "with more lines than any account has",
      () => archiveOf({ "souls/7/versions.ndjson": Buffer.alloc(200_001, "\n") }),
    ],
    [
      "that unpacks to 272 MB",
      () =>
        archiveOf(
          Object.fromEntries(upTo(17).map((nth) => [`souls/7/${nth}`, Buffer.alloc(16 * MB)])),
        ),
    ],
    ["with a path out of its folder", () => archiveOf({ "souls/../x": "" })],
  ])("%s is refused, and nothing is stored", async (_, bytes) => {
    const before = await stored();
    const { status, body } = await importArchive(eve, bytes());
    expect([status, body.error]).toEqual([400, "import_invalid"]);
    expect(body.details).toHaveLength(1);
    expect(await stored()).toEqual(before);
  });

  const blob = "x".repeat(MB);
  const face = { path: "face.png", sha256: sha256("face") };
  it.each<[string, Parameters<typeof soulFiles>[1]]>([
    [
      "a package with a path out of its folder",
      { former: [{ ...formerVersion, package: [{ ...face, path: "../x" }] }] },
    ],
    [
      "a package with a path twice",
      { former: [{ ...formerVersion, package: [face, { ...face, path: "FACE.png" }] }] },
    ],
    [
      "a package of 20 MB from one file",
      {
        former: [
          {
            ...formerVersion,
            package: upTo(20).map((nth) => ({ path: `${nth}`, sha256: sha256(blob) })),
          },
        ],
        files: { [`packages/${sha256(blob)}`]: blob },
      },
    ],
    [
      "a present state of 19 MB",
      {
        files: Object.fromEntries(upTo(19).map((nth) => [`current/${nth}.bin`, Buffer.alloc(MB)])),
      },
    ],
    [
      "a version on 30 February",
      { former: [{ ...formerVersion, edited_at: "2026-02-30 12:00:00" }] },
    ],
    [
      "a version of the year 0",
      { former: [{ ...formerVersion, edited_at: "0000-01-31 12:00:00" }] },
    ],
    [
      "a version with 200,001 characters",
      { former: [{ ...formerVersion, content: "x".repeat(200_001) }] },
    ],
    ["a version with a NUL", { former: [{ ...formerVersion, content: "a\u0000b" }] }],
    ["a version without its texts", { former: [{ ...formerVersion, content: undefined }] }],
    ["a version of a huge number", { former: [{ ...formerVersion, number: 3e9 }] }],
    ["a present state of a huge number", { present: { number: 2_147_483_647 } }],
    ["a version twice", { former: [formerVersion, formerVersion] }],
    ["a version after the present one", { former: [formerVersion], present: { number: 1 } }],
    ["no present version", { present: { is_current: false } }],
    ["versions that are no JSON", { files: { "versions.ndjson": "{\n" } }],
  ])("leaves out a soul with %s, and takes the others", async (_, soul) => {
    const files = { [`packages/${face.sha256}`]: "face", ...soul?.files };
    const bytes = archiveOf({ ...soulFiles(7, { ...soul, files }), ...soulFiles(8) });
    const { status, body } = await importArchive(eve, bytes);
    expect([status, body.souls]).toEqual([200, { created: 1, unchanged: 0 }]);
    expect(body.skipped).toMatchObject([{ path: "souls/7" }]);
    expect((await stored()).slice(0, 2)).toEqual([1, 0]);
    expect((await importArchive(eve, bytes, "?dry_run=1")).body.skipped).toEqual(body.skipped);
  });

  it("a package as deep and as long as an import takes it comes back", async () => {
    const files = {
      "current/a/b/c/d/e/f/g/h.txt": "x",
      [`current/card/${"n".repeat(240)}`]: "x",
    };
    const { status, body } = await importArchive(eve, archiveOf(soulFiles(7, { files })));
    expect([status, body.souls]).toEqual([200, { created: 1, unchanged: 0 }]);
  });

  it("names broken likes, and takes everything else", async () => {
    const hub_id = hub.hub.database.id;
    const files = { ...soulFiles(4_007), "likes.ndjson": "{\n", "ratings.ndjson": "[]\n" };
    const { status, body } = await importArchive(eve, archiveOf(files, { hub_id }));
    expect([status, body.souls]).toEqual([200, { created: 1, unchanged: 0 }]);
    expect(body.skipped).toMatchObject([{ path: "likes.ndjson" }, { path: "ratings.ndjson" }]);
  });

  it.each<[string, Parameters<typeof roomFile>[1]]>([
    ["a session token that no address can have", { room: { session_token: "a b" } }],
    ["no room", { messages: [], room: { kind: "line" } }],
    ["a message of an unknown role", { messages: [{ ...message, role: "system" }] }],
    ["a NUL in a name", { messages: [{ ...message, sender_name: "a\u0000" }] }],
    ["half of a surrogate pair", { messages: [{ ...message, content: "\ud83e" }] }],
    [
      "a time that does not exist",
      { messages: [{ ...message, created_at: "2026-13-01 00:00:00" }] },
    ],
    ["a soul that is not here", { room: { soul_id: 9 } }],
  ])("leaves out a room with %s, and takes the others", async (_, room) => {
    const bytes = archiveOf({ ...soulFiles(7), ...roomFile(1, room), ...roomFile(2) });
    const { status, body } = await importArchive(eve, bytes);
    expect([status, body.rooms]).toEqual([200, { created: 1, unchanged: 0 }]);
    expect(body.skipped).toMatchObject([{ path: "rooms/1.ndjson" }]);
  });

  it("takes no bytes that it does not hold itself", async () => {
    const bob = await hub.member(`bob-${accounts}`);
    const card = cardText({ scenario: "Bob's own." });
    await importFile(bob, card);
    const packaged = [{ path: "card/card.json", sha256: sha256(card) }];
    const bytes = archiveOf(soulFiles(7, { former: [{ ...formerVersion, package: packaged }] }));
    const { body } = await importArchive(eve, bytes);
    expect(body.skipped).toEqual([
      { path: "souls/7", reason: `souls/7/packages/${sha256(card)} is missing` },
    ]);
  });

  it("cannot date anything later than now", async () => {
    const later = "2999-01-01 00:00:00";
    const soul = soulFiles(7, {
      present: { created_at: later, updated_at: later },
      former: [{ ...formerVersion, edited_at: later }],
    });
    const messages = [{ ...message, created_at: later, edited_at: later }];
    await importArchive(eve, archiveOf({ ...soul, ...roomFile(1, { messages }) }));
    const [{ id, created_at }] = (await eve.get("/api/my-souls")).body.data;
    const [version] = (await eve.get(`/api/versions?soul_id=${id}`)).body.data;
    const room = await eve.get(`/api/chat?soul_id=${id}&session_token=lobby`);
    const [line] = room.body.messages;
    for (const time of [created_at, version.edited_at, line.created_at, line.edited_at]) {
      expect(time < "2999").toBe(true);
    }
  });

  it("attributes no reply to a soul of this hub", async () => {
    const made_by = {
      soul_id: 1,
      version: 1,
      model: "openai:gpt",
      tokens_in: 1,
      tokens_out: 1,
      summary_version: null,
      lines: 0,
    };
    const reply = { ...message, id: 2, role: "assistant", sender_name: "Orla" };
    const messages = [
      message,
      { ...reply, made_by },
      { ...reply, id: 3, made_by: { ...made_by, soul_id: 7 } },
    ];
    await importArchive(eve, archiveOf({ ...soulFiles(7), ...roomFile(1, { messages }) }));
    const [{ id }] = (await eve.get("/api/my-souls")).body.data;
    const { body } = await eve.get(`/api/chat?soul_id=${id}&session_token=lobby`);
    expect(body.messages.map((line: { made_by?: { soul_id: number } }) => line.made_by)).toEqual([
      undefined,
      null,
      expect.objectContaining({ soul_id: id }),
    ]);
  });

  describe("that names this hub as its own", () => {
    const own = (files: Parameters<typeof archiveOf>[0]) =>
      archiveOf(files, { hub_id: hub.hub.database.id, counts: { likes: 1, ratings: 1 } });

    it("reaches public souls of others only, in private rooms of marked messages", async () => {
      const bob = await hub.vip(`bob-${accounts}`);
      const [open, closed] = [await openRoom(bob), await openRoom(bob, { is_public: 0 })];
      const { body } = await importArchive(
        eve,
        own({
          ...roomFile(1_000_001, { room: { soul_id: open.soul_id } }),
          ...roomFile(1_000_002, { room: { soul_id: closed.soul_id } }),
        }),
      );
      expect(body.rooms).toEqual({ created: 1, unchanged: 0 });
      expect(body.skipped).toEqual([
        { path: "rooms/1000002.ndjson", reason: "its soul is not on this hub" },
      ]);
      const at = `soul_id=${open.soul_id}&session_token=lobby`;
      expect((await bob.get(`/api/chat?${at}`)).body.error).toBe("private_session");
      const { messages } = (await eve.get(`/api/chat?${at}`)).body;
      expect(messages).toMatchObject([{ content: "Is it dark?", imported: true }]);
    });

    it("leaves a room of others that has the same token, and gets another one", async () => {
      const bob = await hub.vip(`bob-${accounts}`);
      const room = await openRoom(bob);
      await bob.post("/api/chat", { ...room, content: "Mine." });
      const files = roomFile(1_000_003, { room: { soul_id: room.soul_id } });
      expect((await importArchive(eve, own(files))).body.rooms.created).toBe(1);
      const [{ session_token }] = (await eve.get("/api/my-chats")).body.sessions;
      expect(session_token).not.toBe(room.session_token);
      const { messages } = (
        await bob.get(`/api/chat?soul_id=${room.soul_id}&session_token=${room.session_token}`)
      ).body;
      expect(messages[0].content).toBe("Mine.");
    });

    it("likes and rates public souls only, and once", async () => {
      const bob = await hub.vip(`bob-${accounts}`);
      const [open, closed] = [await openRoom(bob), await openRoom(bob, { is_public: 0 })];
      const souls = [open.soul_id, closed.soul_id];
      const list = (more: object) =>
        souls.map((soul_id) => `${JSON.stringify({ soul_id, ...more })}\n`).join("");
      const bytes = own({ "likes.ndjson": list({}), "ratings.ndjson": list({ rating: 5 }) });
      const dry = (await importArchive(eve, bytes, "?dry_run=1")).body;
      expect([dry.likes, dry.ratings]).toEqual(Array(2).fill({ created: 1, unchanged: 0 }));
      const first = (await importArchive(eve, bytes)).body;
      expect(first.skipped.map(({ path }: { path: string }) => path)).toEqual([
        "likes.ndjson",
        "ratings.ndjson",
      ]);
      const again = (await importArchive(eve, bytes)).body;
      expect([again.likes, again.ratings]).toEqual(Array(2).fill({ created: 0, unchanged: 1 }));
      const { data } = (await bob.get(`/api/soul/${open.soul_id}`)).body;
      expect([data.like_count, data.total_ratings, data.avg_rating]).toEqual([1, 1, 5]);
    });
  });

  it("makes nothing twice where it is imported twice at once", async () => {
    const bytes = archiveOf({ ...soulFiles(7), ...soulFiles(8), ...roomFile(1) });
    const answers = await Promise.all([importArchive(eve, bytes), importArchive(eve, bytes)]);
    const created = answers.map(({ body }) => body.souls.created + body.rooms.created);
    expect(created.reduce((a, b) => a + b)).toBe(3);
    expect((await stored()).slice(0, 2)).toEqual([2, 1]);
  });

  it("is beyond the storage of an account as a whole, also in a dry run", async () => {
    await using small = await startChatHub({ config: { storageBytesPerAccount: 10 } });
    const ada = await small.member("ada");
    const withFace = (id: number, bytes: string) =>
      soulFiles(id, { files: { "current/face.png": bytes } });
    const bytes = archiveOf({
      ...withFace(7, "123456"),
      ...withFace(8, "654321"),
      ...soulFiles(9),
    });
    const dry = await importArchive(ada, bytes, "?dry_run=1");
    const done = await importArchive(ada, bytes);
    for (const { body } of [dry, done]) {
      expect(body.souls.created).toBe(2);
      expect(body.skipped).toMatchObject([{ path: "souls/8" }]);
    }
  });
});
