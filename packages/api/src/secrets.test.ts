import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostAndPort } from "./chat/byok/allowed-hosts.ts";
import type { Actor } from "./testing/actor.ts";
import { type ChatHub, openRoom, say, sayOnPage, startChatHub } from "./testing/chat-hub.ts";
import { eventually } from "./testing/eventually.ts";
import { everyText } from "./testing/every-text.ts";
import { openSocket } from "./testing/live-visitor.ts";
import { type OpenAiServer, startOpenAiServer } from "./testing/openai-server.ts";
import { ADMIN_TOKEN } from "./testing/test-hub.ts";
import { bindBody, createWallet } from "./wallet/wallet.fixture.ts";

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MASTER_KEY = randomBytes(32);
const mark = (name: string) => `${name}-${randomBytes(9).toString("hex")}`;

/**
 * This test uses every kind of secret, in calls that succeed and calls that fail. It then searches
 * the whole database and every log line for the secrets (decisions §3 and §5, 0004).
 */
describe("secrets", () => {
  /** Secrets by name. None may occur in a table or a log line. */
  const secrets = new Map<string, string>();
  /** Texts of messages by name. Tables store them, but no log line may contain them. */
  const said = new Map<string, string>();
  let hub: ChatHub;
  let own: OpenAiServer;

  const secret = (name: string, text = mark(name.replaceAll(" ", "-"))): string => {
    secrets.set(name, text);
    return text;
  };
  const line = (name: string, text = mark(name.replaceAll(" ", "-"))): string => {
    said.set(name, text);
    return text;
  };

  beforeAll(async () => {
    const reply = line("a reply");
    const ownReply = line("a reply of an own provider");
    own = await startOpenAiServer({ reply: () => ownReply });
    hub = await startChatHub({
      provider: { reply: () => reply },
      masterKeys: [{ id: "k1", key: MASTER_KEY }],
      ownModelsOptions: {
        allowedHosts: [hostAndPort(new URL(own.url))],
        baseUrls: { google: own.url },
      },
    });
    secret("the master key", MASTER_KEY.toString("base64"));
    secret("the admin token", ADMIN_TOKEN);
    const ada = await registered("ada");
    const room = {
      ...(await openRoom(ada)),
      session_token: secret("the token of a room"),
    };
    await talk(ada, room);
    await talkWithOwnKey(ada, room);
    await moveAbout(ada, room);
    await fail(ada, room);
    await hub.hub.modelUsage.flush();
  });
  afterAll(async () => {
    await hub.close();
    await own.close();
  });

  async function registered(username: string): Promise<Actor> {
    const guest = hub.guest();
    const password = secret("a password");
    const email = `${username}@example.org`;
    const { body } = await guest.post("/api/register", { username, password, email });
    secret("the first API key", body.api_key);
    await guest.post("/api/login", { username, password: secret("a wrong password") });
    await guest.post("/api/login", { username, password, remember: true });
    secret("a session", guest.cookies.get("soulhub_session"));
    const rotated = await guest.post("/api/api-key/rotate", undefined, {
      authorization: `Bearer ${body.api_key}`,
    });
    const key = secret("the second API key", rotated.body.api_key);
    const ada: Actor = { ...hub.guest(), name: username, apiKey: key };
    const bearing = { authorization: `Bearer ${key}` };
    const wanted = { name: "laptop", scopes: ["chat"], password };
    const named = await ada.post("/api/keys", wanted, bearing);
    secret("a named API key", named.body.api_key);
    const changed = await ada.post(
      "/api/change-password",
      {
        current_password: password,
        new_password: secret("a new password"),
        confirm_password: secrets.get("a new password"),
      },
      bearing,
    );
    expect(changed.status).toBe(200);
    await hub.pass(ada, "pro");
    const wallet = bindBody(createWallet("ada.near"));
    secret("a signature", wallet.signature);
    expect((await ada.post("/api/bind-wallet", wallet, bearing)).status).toBe(200);
    return {
      ...ada,
      get: (path, headers) => ada.get(path, { ...bearing, ...headers }),
      post: (path, body, headers) => ada.post(path, body, { ...bearing, ...headers }),
      put: (path, body, headers) => ada.put(path, body, { ...bearing, ...headers }),
    };
  }

  type Room = Awaited<ReturnType<typeof openRoom>>;

  async function talk(ada: Actor, room: Room): Promise<void> {
    await using socket = openSocket(hub, { apiKey: ada.apiKey, cookies: new Map() });
    const visitor = socket.join(room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const key = { "idempotency-key": secret("an Idempotency-Key") };
    const message = { ...room, content: line("a message") };
    expect((await ada.post("/api/chat", message, key)).status).toBe(200);
    expect((await say(ada, room, line("a message beside an image"), { image: PNG })).status).toBe(
      200,
    );
    await eventually(() => expect(visitor.ids).toHaveLength(4));
    const app = {
      model: `soul-${room.soul_id}`,
      messages: [{ role: "user", content: line("a message of an app") }],
    };
    const byName = { authorization: `Bearer ${secrets.get("a named API key")}` };
    expect((await hub.guest().post("/v1/chat/completions", app, byName)).status).toBe(200);
    const elsewhere = { ...room, session_token: secret("the token of a private room") };
    await say(ada, elsewhere, line("a private message"), { is_private: true });
    const guest = hub.guest();
    await guest.get("/api/chat-quota");
    secret("a guest's cookie", guest.cookies.get("soulhub_guest"));
    expect((await sayOnPage(guest, room, line("a guest's message"))).status).toBe(200);
  }

  async function talkWithOwnKey(ada: Actor, room: Room): Promise<void> {
    const openAi = { provider: "openai-compatible", base_url: own.url, text_model: "own-text" };
    const saved = await ada.put("/api/byok", { ...openAi, api_key: secret("a provider's key") });
    expect(saved.status).toBe(200);
    own.failNext({ status: 401 });
    await ada.put("/api/byok", { ...openAi, api_key: secret("a refused provider's key") });
    const google = { provider: "google", api_key: secret("another provider's key"), active: false };
    expect((await ada.put("/api/byok", google)).status).toBe(200);
    const message = { ...room, content: line("a message to an own provider") };
    expect((await ada.post("/api/self-chat", message)).status).toBe(200);
    own.failNext({ status: 400, body: `${secrets.get("a provider's key")} ${message.content}` });
    expect((await ada.post("/api/self-chat", message)).status).toBe(502);
    own.failNext({ status: 403, body: `${secrets.get("a provider's key")} ${message.content}` });
    expect((await ada.post("/api/self-chat", message)).status).toBe(403);
  }

  async function moveAbout(ada: Actor, room: Room): Promise<void> {
    await ada.get(`/api/chat?${new URLSearchParams({ ...room, soul_id: String(room.soul_id) })}`);
    await ada.get("/api/my-chats");
    await ada.get("/api/byok");
    await hub.guest().get("/api/me", { authorization: `Bearer ${secret("a made-up key")}` });
    await hub.guest().get("/api/me", { cookie: `soulhub_session=${secret("a made-up session")}` });
    const rotate = await hub
      .guest()
      .post("/api/admin/rotate-keys", {}, { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect(rotate.status).toBe(200);
  }

  /** Causes unexpected errors. Their causes are logged and might quote messages or secrets. */
  async function fail(ada: Actor, room: Room): Promise<void> {
    const { db } = hub.hub.database;
    const content = line("a message that the database refuses");
    hub.provider.failNext({ status: 500, body: content }, { status: 500, body: content });
    await say(ada, room, content);
    await sql`alter table chat_messages add constraint no_luck check (content <> ${sql.lit(content)})`.execute(
      db,
    );
    expect((await say(ada, room, content)).status).toBe(500);
    // This change fails in background work, whose failures appear only in the log.
    const refused = db.updateTable("chat_messages").set({ content }).execute();
    hub.hub.inBackground("changing a message", refused);
    await refused.catch(() => undefined);
    await sql`alter table chat_messages drop constraint no_luck`.execute(db);
    await sql`alter table provider_keys add constraint no_luck check (text_model <> 'unlucky')`.execute(
      db,
    );
    const change = { provider: "openai-compatible", text_model: "unlucky" };
    expect((await ada.put("/api/byok", change)).status).toBe(500);
    await sql`alter table provider_keys drop constraint no_luck`.execute(db);
  }

  /** Returns a text as it is and in the usual encodings of secrets. */
  const spellings = (text: string): string[] => [
    text,
    Buffer.from(text).toString("base64").replace(/=+$/, ""),
    Buffer.from(text).toString("base64url"),
    Buffer.from(text).toString("hex"),
    encodeURIComponent(text),
  ];
  const foundIn = (haystack: string, texts: Iterable<[string, string]>): string[] =>
    [...texts].flatMap(([name, text]) =>
      spellings(text).some((spelling) => haystack.includes(spelling)) ? [name] : [],
    );

  it("are not stored in the database", async () => {
    const dump = (await everyText(hub.hub.database)).map(({ text }) => text).join("\n");
    expect(secrets.size).toBeGreaterThan(15);
    expect(foundIn(dump, secrets)).toEqual([]);
    // The same search must find the stored messages. This shows that it would find stored secrets.
    expect(foundIn(dump, said)).toEqual(
      expect.arrayContaining(["a message", "a reply", "a private message", "a guest's message"]),
    );
  });

  it("are not logged, and neither are messages", () => {
    const log = hub.log.join("");
    expect(log).toContain("a call failed");
    expect(log).toContain("changing a message");
    expect(log).toContain("no_luck");
    expect(foundIn(log, secrets)).toEqual([]);
    expect(foundIn(log, said)).toEqual([]);
    expect(log).not.toContain(PNG.slice(30, 80));
    expect(log).not.toContain("v1.k1.");
  });

  it("include messages to an own provider and those of apps, which are not stored", async () => {
    const dump = (await everyText(hub.hub.database)).map(({ text }) => text).join("\n");
    expect(foundIn(dump, said)).not.toContain("a message to an own provider");
    expect(foundIn(dump, said)).not.toContain("a message of an app");
    expect(foundIn(dump, said)).not.toContain("a reply of an own provider");
  });
});
