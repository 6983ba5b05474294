import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { pathReader } from "../rows/chat-room.queries.ts";
import { roomKey } from "../rows/room-key.ts";

describeChat("GET /api/chat-export", { provider: { reply: () => "Mm." } }, (hub) => {
  let ada: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    ada = await hub.vip("ada");
    room = await openRoom(ada, { title: "Orla *the* [keeper]" });
  });

  const query = ({ soul_id, session_token }: RoomName, format: string) =>
    `/api/chat-export?soul_id=${soul_id}&session_token=${session_token}&format=${format}`;
  const exported = async (actor: Actor, name: RoomName, format: "md" | "json") =>
    (await actor.get(query(name, format))).body.data;
  const newRoom = () => ({ ...room, session_token: `room-${++rooms}` });

  it("md: the path, each message in a quote under its sender's name", async () => {
    const name = newRoom();
    const { question_id } = (await say(ada, name, "Tabs or\nspaces?")).body;
    await say(ada, name, "", { regenerate: question_id });
    expect(await exported(ada, name, "md")).toEqual({
      filename: "conversation-tabs-or-spaces.md",
      text: [
        "# Tabs or spaces?",
        "",
        "**ada**",
        "",
        "> Tabs or",
        "> spaces?",
        "",
        "**Orla \\*the\\* \\[keeper\\]** (soul)",
        "",
        "> Mm.",
        "",
      ].join("\n"),
      is_complete: true,
    });
  });

  it.each([
    "Hello.\n\n**ben**\n\n> I owe ada 5 NEAR.",
    "Hello.\r\r**ben**\r\r> I owe ada 5 NEAR.",
    "Hello.\u2028\u2028**ben**\u2028\u2028> I owe ada 5 NEAR.",
    "Hello.</blockquote>\n<p><b>ben</b></p><!--",
    "```\nunclosed\n",
    "- a\n  ```\n</blockquote><b>ben</b>",
    // What looks like a code span on its line is none where other signs took its backticks.
    "`\na ` </blockquote><b>ben</b> `",
    "```\\` <b>",
    "`` <b> `",
    "\\` <b> `",
    "[a](x`) <b>ben</b> `",
    "[a](x '`') <b>ben</b> `",
    "https://a.example/</` <b>ben</b> `",
    "a|b|c\n-|-|-\n`|<b>ben</b>|`",
    "~~~ a|b\n-|-\n<b>ben</b>|c",
  ])("md: no message can look like another speaker (%j)", async (content) => {
    const name = newRoom();
    await say(ada, name, content);
    const { text } = await exported(ada, name, "md");
    const outside = text
      .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
      .slice(1)
      .filter((line: string) => line !== "" && !line.startsWith(">"));
    expect(outside).toEqual(["**ada**", "**Orla \\*the\\* \\[keeper\\]** (soul)"]);
    expect(text).not.toMatch(/<[A-Za-z/!?]/);
  });

  it("md: has no control characters, and none that turn the direction of the text", async () => {
    const name = newRoom();
    await say(ada, name, "a\u001b[1Ab\u202ec\td");
    expect((await exported(ada, name, "md")).text).toContain("> a[1Abc\td\n");
  });

  it("md: a message keeps its code spans", async () => {
    const name = newRoom();
    const lines = [
      "Use `<div>`, ``a`<b>``, `a[i]: x`, `x: Map<string, number[]>` and `` \\`<i>` ``.",
      "[docs](https://a.example) say `<p>|</p>`, 使用`<b>`标签 (`<u>`).",
    ];
    await say(ada, name, lines.join("\n"));
    const { text } = await exported(ada, name, "md");
    expect(text).toContain(`> ${lines.join("\n> ")}\n`);
  });

  it("md: a code span ends no name of a link", async () => {
    const name = newRoom();
    await say(ada, name, "[con `tract]: https://evil.example`\n[con\n`tract]: x`");
    const { text } = await exported(ada, name, "md");
    expect(text).toContain("[con `tract]\\: https://evil.example`\n> [con\n> `tract]\\: x`");
  });

  it("md: holds one path, even if the room's path moves between two pages", async () => {
    const name = newRoom();
    const { question_id } = (await say(ada, name, "One.")).body;
    const { message_id } = (await say(ada, name, "Two.")).body;
    const readPage = pathReader(hub.hub.database.db, roomKey(name));
    const page = await readPage(1);
    expect(page.map(({ id }) => id)).toEqual([message_id]);
    await say(ada, name, "", { regenerate: question_id });
    const before = await readPage(10, message_id);
    expect(before.map(({ content }) => content)).toEqual(["One.", "Mm.", "Two."]);
  });

  it("md: a message keeps its code, and defines no link for other messages", async () => {
    const name = newRoom();
    const code = "```rust\nlet x: Vec<String> = y[0]: ~~~\n~~~\n````\n<b>[a]: b\n~~~~\n<i>\n~~~";
    await say(ada, name, `[contract]: https://evil.example\n[con\ntract]: x\n${code}`);
    const { text } = await exported(ada, name, "md");
    const expected = [
      "[contract]\\: https://evil.example",
      "[con",
      "tract]\\: x",
      "```rust",
      "let x: Vec<String> = y[0]: ~~~",
      "~~~",
      "````",
      "&lt;b>[a]\\: b",
      "~~~~",
      "<i>",
      "~~~",
    ];
    expect(text).toContain(expected.map((line) => `> ${line}\n`).join(""));
  });

  it("json: all messages with all of their fields, and no session token", async () => {
    const name = newRoom();
    const { question_id, message_id } = (await say(ada, name, "Tabs?")).body;
    await say(ada, name, "", { regenerate: question_id });
    await ada.put("/api/message", { ...name, id: message_id, content: "Spaces." });
    await ada.put("/api/reaction", { ...name, id: message_id, emoji: "👍", on: true });
    const { filename, text } = await exported(ada, name, "json");
    expect(filename).toBe("conversation-tabs.json");
    expect(text).not.toContain(name.session_token);
    const { messages } = (await history(ada, name)).body;
    expect(JSON.parse(text)).toEqual({
      title: "Tabs?",
      soul: { id: room.soul_id, title: "Orla *the* [keeper]" },
      is_complete: true,
      messages,
    });
    expect(messages).toHaveLength(3);
  });

  it("leaves out the oldest messages beyond 16 million characters", async () => {
    const name = newRoom();
    await say(ada, name, "One.");
    await say(ada, name, "Two.");
    const { db } = hub.hub.database;
    const [, reply] = (await history(ada, name)).body.messages;
    await db
      .updateTable("chat_messages")
      .set({ content: "x".repeat(15_999_984) })
      .where("id", "=", reply.id)
      .execute();
    const { text, is_complete } = await exported(ada, name, "json");
    const { messages } = JSON.parse(text);
    expect([messages.length, messages[0].id, is_complete]).toEqual([3, reply.id, false]);
  });

  it("is for those who may read the room; its owner needs no pass", async () => {
    const name = newRoom();
    const fred = await hub.member("fred");
    await hub.pass(fred, "vip");
    await say(fred, name, "Mine.");
    await hub.pass(fred, "free");
    expect((await fred.get(query(name, "md"))).status).toBe(200);
    expect((await ada.get(query(name, "md"))).status).toBe(200);
    await say(ada, { ...room, session_token: "hers" }, "Hers.", { is_private: true });
    const hers = { ...room, session_token: "hers" };
    expect(failureOf(await fred.get(query(hers, "md")))).toEqual([403, "pass_required"]);
    await hub.pass(fred, "vip");
    expect(failureOf(await fred.get(query(hers, "md")))).toEqual([403, "private_session"]);

    const ban = { ...name, username: "ada", state: "banned" };
    await fred.put("/api/room-people", ban);
    for (const format of ["md", "json"]) {
      const refused = await ada.get(query(name, format));
      expect(failureOf(refused)).toEqual([403, "banned"]);
      expect(refused.text).not.toContain("Mine");
    }

    const secret = newRoom();
    await say(fred, secret, "Between us.", { is_private: true });
    await fred.put("/api/room-people", { ...secret, username: "ada", state: "member" });
    expect((await exported(ada, secret, "md")).text).toContain("> Between us.");

    const guest = hub.guest();
    const lobby = newRoom();
    await sayOnPage(guest, lobby, "A guest's.");
    const input = encodeURIComponent(JSON.stringify({ ...lobby, format: "md" }));
    const { body } = await guest.get(`/trpc/chat.export?input=${input}`);
    expect(body.result.data.data.text).toContain("> A guest's.");
  });

  it("is limited to 10 an hour", async () => {
    await using limited = await startTestHub({ config: { rateLimits: true } });
    const lim = await limited.vip("lim");
    const name = { ...(await openRoom(lim)), session_token: "limited" };
    for (let n = 0; n < 10; n++) expect((await lim.get(query(name, "md"))).status).toBe(200);
    const { status, headers } = await lim.get(query(name, "md"));
    expect([status, headers.get("ratelimit-limit")]).toEqual([429, "10"]);
  });
});
