import { rawZip } from "@soul-hub/soul-formats/testing";
import { beforeAll, expect, it } from "vitest";
import {
  archiveOf,
  formerVersion,
  importArchive,
  message,
  roomFile,
  soulFiles,
} from "../account-archive/archive.fixture.ts";
import { importFile } from "../souls/exchange/exchange.fixture.ts";
import { type Actor, createActor } from "../testing/actor.ts";
import { openRoom, say } from "../testing/chat-hub.ts";
import { describeChat } from "../testing/describe-chat.ts";
import { ADMIN_TOKEN, PASSWORD } from "../testing/test-hub.ts";

/** A line break of each kind, a tab, BEL, C1, and overrides and isolates of the direction. */
const HOSTILE = " a\r\nb\u2028c\u2029d\u0085e\tf\u0007 \u009bg \u202ehi\u2066j\u2069\u202c ";
const LINE = "a b c d e f g hij";

/** Decisions §2, Times, ids and text. */
describeChat("a text on one line", {}, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.vip("ada");
  });
  const publish = async (fields: object) =>
    (await ada.post("/api/souls", { title: "T", content: "C", ...fields })).body.id as number;
  const read = async (id: number) => (await ada.get(`/api/soul/${id}`)).body.data;

  const places: Record<string, (text: string) => Promise<unknown>> = {
    "the title of a soul": async (title) => (await read(await publish({ title }))).title,
    "the title of a changed soul": async (title) => {
      const id = await publish({});
      await ada.put(`/api/soul/${id}`, { title });
      return (await read(id)).title;
    },
    "the domain of a soul": async (domain) => (await read(await publish({ domain }))).domain,
    "the compatibility of a soul": async (compatibility) =>
      (await read(await publish({ compatibility }))).compatibility,
    "the note of a soul": async (note) => (await read(await publish({ note }))).version_note,
    "the note of a change": async (note) => {
      const id = await publish({});
      await ada.put(`/api/soul/${id}`, { content: "D", note });
      return (await read(id)).version_note;
    },
    "the note of a version": async (note) => {
      const soul_id = await publish({});
      await ada.put("/api/version", { soul_id, number: 1, note });
      return (await read(soul_id)).version_note;
    },
    "the title of a room": async (title) => {
      const room = await openRoom(ada);
      await say(ada, room, "Hello.");
      return (await ada.put("/api/room", { ...room, title })).body.room.title;
    },
    "the name of a key": async (name) => {
      await ada.post("/api/keys", { name, scopes: ["chat"], password: PASSWORD });
      return (await ada.get("/api/keys")).body.keys.at(-1)?.name;
    },
    "the note of an invite": async (note) => {
      const operator = createActor({ name: "op", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url });
      await operator.post("/api/admin/invites", { uses: 1, days: 30, note });
      return (await operator.get("/api/admin/invites")).body.data[0].note;
    },
    "a short field of a mini app": async (question) => {
      const soul_id = await publish({ title: "Chess" });
      const fields = { lesson: "Train tactics", question };
      const { body } = await ada.post("/api/apps", { slug: "chess-lesson", soul_id, fields });
      return /: ?\**\s*(a .*)$/m.exec(body.content)?.[1];
    },
  };

  it.each(Object.keys(places))("is what a request gives as %s", async (place) => {
    expect(await places[place]?.(HOSTILE)).toBe(LINE);
  });

  it("is the title of an archived version and room, and the name of a sender", async () => {
    const former = [{ ...formerVersion, title: HOSTILE, note: HOSTILE }];
    const messages = [{ ...message, sender_name: HOSTILE, is_mine: false }];
    const room = roomFile(1, { room: { title: HOSTILE }, messages });
    const bea = await hub.vip("bea");
    await importArchive(bea, archiveOf({ ...soulFiles(7, { former }), ...room }));
    const [soul] = (await bea.get("/api/my-souls")).body.data;
    const [version] = (await bea.get(`/api/versions?soul_id=${soul.id}`)).body.data;
    expect(version).toMatchObject({ title: LINE, note: LINE });
    const [session] = (await bea.get("/api/my-chats")).body.sessions;
    expect(session.title).toBe(LINE);
    expect(session.last_message.sender_name).toContain(LINE);
  });

  it("stays as it is where it was stored before, also in a restored version", async () => {
    const id = await publish({});
    const title = "a\nb\u202ec";
    const { db } = hub.hub.database;
    await db.updateTable("souls").set({ title }).where("id", "=", id).execute();
    await ada.put(`/api/soul/${id}`, { title: "New" });
    const [former] = (await ada.get(`/api/versions?soul_id=${id}`)).body.data;
    expect(former.title).toBe(title);
    await ada.post("/api/versions", { soul_id: id, version_id: former.id });
    expect((await read(id)).title).toBe(title);
  });

  it.each(["a\u202eb.md", "a\nb.md", "a\u0007b.md"])(
    "is the name of a file, or the file is refused: %j",
    async (name) => {
      const content = JSON.stringify({ "SOUL.md": "a", [name]: "b" });
      const { status, body } = await ada.post("/api/souls", { title: "T", content });
      expect([status, body.details?.[0].field]).toEqual([400, "content"]);
      const zip = rawZip([
        { path: "SOUL.md", content: "a" },
        { path: name, content: "b" },
      ]);
      expect((await importFile(ada, zip)).body.error).toBe("import_invalid");
    },
  );
});
