import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../db/database.ts";
import { storeMail } from "../../mail/waiting-mails.queries.ts";
import { createActor } from "../../testing/actor.ts";
import { failureOf, openRoom, say } from "../../testing/chat-hub.ts";
import { everyText } from "../../testing/every-text.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { hostAndPort } from "../byok/allowed-hosts.ts";
import { createOwnModels } from "../byok/own-models.ts";

const OLD = { id: "k1", key: new Uint8Array(32).fill(1) };
const PROVIDER_KEY = "sk-a-key-of-ada";
const NEW = { id: "k2", key: new Uint8Array(32).fill(2) };

/** Reads every text in the database that the vault encrypted. */
const everySealedText = async (database: Database): Promise<string[]> =>
  (await everyText(database))
    .map(({ text }) => text)
    .filter((text) => /^v\d+\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text));

describe.each(testDatabases())("POST /api/admin/rotate-keys (on %s)", (kind) => {
  const hubs: TestHub[] = [];
  let provider: OpenAiServer;
  beforeAll(async () => {
    provider = await startOpenAiServer({ keys: [PROVIDER_KEY] });
  });
  afterAll(() => provider.close());
  afterEach(async () => {
    for (const hub of hubs.splice(0)) await hub.close();
  });

  /** Starts another server on the same data, with the given master keys. */
  async function start(database: Database, ...ring: (typeof OLD)[]) {
    const ownModels = createOwnModels({
      allowedHosts: [hostAndPort(new URL(provider.url))],
      timeoutMs: 5_000,
    });
    const hub = await startTestHub({ database, masterKeys: ring, ownModels });
    hubs.push(hub);
    return hub;
  }
  const rotate = (hub: TestHub) =>
    createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url }).post(
      "/api/admin/rotate-keys",
    );
  const clientOf = (hub: TestHub, apiKey: string) =>
    createActor({ name: "client", apiKey, baseUrl: () => hub.url });

  it("re-encrypts and counts everything, so that the old key can be removed", async () => {
    const database = await emptyDatabase(kind);
    const before = await start(database, OLD);
    const ada = await before.vip("ada");
    await before.member("ben");
    const room = await openRoom(ada);
    for (const session_token of ["lobby", "harbour", "attic"]) {
      await say(ada, { ...room, session_token }, "Good evening");
    }
    const attic = { ...room, session_token: "attic" };
    await say(ada, attic, "Between us.", { is_private: true });
    const invite = await ada.post("/api/room-invites", { ...attic, uses: 1, days: 1 });
    await ada.put("/api/byok", {
      provider: "openai-compatible",
      base_url: provider.url,
      api_key: PROVIDER_KEY,
      text_model: "text-model",
    });
    const mail = { address: "ada@x.org", name: "ada", content: { subject: "S", paragraphs: [] } };
    await storeMail(database.db, before.hub.vault, 1, mail);
    expect((await everySealedText(database)).every((text) => text.startsWith("v1.k1."))).toBe(true);

    const during = await start(database, NEW, OLD);
    // The starter account has no API key; ada and ben have one each.
    const { status, body } = await rotate(during);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      rewrapped: { api_keys: 2, session_tokens: 3, provider_keys: 1, invites: 1, mails: 1 },
      unreadable: { api_keys: 0, session_tokens: 0, provider_keys: 0, invites: 0, mails: 0 },
    });
    expect(body.message).toContain("8 stored secrets were re-encrypted");
    const sealed = await everySealedText(database);
    expect(sealed).toHaveLength(8);
    expect(sealed.every((text) => text.startsWith("v1.k2."))).toBe(true);
    expect((await rotate(during)).body.rewrapped).toEqual({
      api_keys: 0,
      session_tokens: 0,
      provider_keys: 0,
      invites: 0,
      evidence: 0,
      deleted_name_keys: 0,
      mails: 0,
    });

    const after = await start(database, NEW);
    const { body: login } = await after
      .guest()
      .post("/api/login", { username: "ada", password: PASSWORD });
    expect(login.api_key).toBe(ada.apiKey);
    const { body: chats } = await clientOf(after, ada.apiKey).get("/api/my-chats");
    expect(
      chats.sessions.map(({ session_token }: { session_token: string }) => session_token).sort(),
    ).toEqual(["attic", "harbour", "lobby"]);
    const { body: invites } = await clientOf(after, ada.apiKey).get(
      `/api/room-invites?soul_id=${room.soul_id}&session_token=attic`,
    );
    expect(invites.data[0].invite).toBe(invite.body.invite);
    const own = await clientOf(after, ada.apiKey).post("/api/self-chat", {
      ...room,
      content: "Hello",
    });
    expect(own.body).toMatchObject({ success: true, sender_name: "Orla" });
    expect(provider.requests.at(-1)?.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
  });

  it("processes several batches beside concurrent messages and new keys", async () => {
    const database = await emptyDatabase(kind);
    const before = await start(database, OLD);
    const ada = await before.vip("ada");
    const room = await openRoom(ada);
    const during = await start(database, NEW, OLD);
    const many = 1_200;
    const { db } = database;
    const sealedThen = before.hub.vault;
    await sql`
      insert into chat_rooms (soul_id, token_hash, token_sealed, owner, head_id)
      select ${room.soul_id}, 'hash ' || token, token, 'account:1', 1
      from unnest(${Array.from({ length: many }, (_, at) =>
        sealedThen.seal("session-token", String(room.soul_id), `room-${at}`),
      )}::text[]) as token`.execute(db);

    const client = clientOf(during, ada.apiKey);
    const [rotated, ...others] = await Promise.all([
      rotate(during),
      rotate(during),
      ...Array.from({ length: 6 }, (_, at) =>
        say(client, { ...room, session_token: `new-${at}` }, "Hello"),
      ),
    ]);
    const [alsoRotated, ...said] = others;
    expect(said.map(({ status }) => status)).toEqual(said.map(() => 200));
    const rewrapped = (answer: typeof rotated) => answer.body.rewrapped.session_tokens;
    expect(rewrapped(rotated) + rewrapped(alsoRotated as typeof rotated)).toBe(many);
    const { body } = await client.post("/api/api-key/rotate");
    const sealed = await everySealedText(database);
    expect(sealed).toHaveLength(1 + many + 6);
    expect(sealed.filter((text) => !text.startsWith("v1.k2."))).toEqual([]);

    const after = await start(database, NEW);
    const { body: login } = await after
      .guest()
      .post("/api/login", { username: "ada", password: PASSWORD });
    expect(login.api_key).toBe(body.api_key);
    expect((await clientOf(after, body.api_key).get("/api/my-chats")).body.sessions).toHaveLength(
      200,
    );
  });

  it("counts texts that no master key decrypts, and keeps them", async () => {
    const database = await emptyDatabase(kind);
    const before = await start(database, OLD);
    const ada = await before.member("ada");
    const ben = await before.member("ben");
    // Simulates an attacker with write access: ben's row gets ada's ciphertext.
    await sql`update accounts set api_key_sealed =
      (select api_key_sealed from accounts where username = 'ada') where username = 'ben'`.execute(
      database.db,
    );
    const lost = await start(database, NEW);
    expect((await rotate(lost)).body).toMatchObject({
      rewrapped: { api_keys: 0 },
      unreadable: { api_keys: 2 },
    });
    const during = await start(database, NEW, OLD);
    const { body } = await rotate(during);
    expect(body).toMatchObject({ rewrapped: { api_keys: 1 }, unreadable: { api_keys: 1 } });
    expect(body.message).toContain("1 cannot be decrypted");
    // ben's key stays valid until his next login, which issues a new key instead of ada's.
    expect((await clientOf(during, ben.apiKey).get("/api/me")).status).toBe(200);
    const login = await during.guest().post("/api/login", { username: "ben", password: PASSWORD });
    expect(login.status).toBe(200);
    expect([ada.apiKey, ben.apiKey]).not.toContain(login.body.api_key);
    expect((await clientOf(during, login.body.api_key).get("/api/me")).body.user.username).toBe(
      "ben",
    );
    expect((await clientOf(during, ben.apiKey).get("/api/me")).status).toBe(401);
    expect((await rotate(during)).body.unreadable.api_keys).toBe(0);
  });

  it("counts damaged texts of the current key", async () => {
    const database = await emptyDatabase(kind);
    const hub = await start(database, OLD);
    await hub.member("ada");
    await hub.member("ben");
    await sql`update accounts set api_key_sealed = 'v1.k1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA'
      where username = 'ben'`.execute(database.db);
    const { body } = await rotate(hub);
    expect(body).toMatchObject({ rewrapped: { api_keys: 0 }, unreadable: { api_keys: 1 } });
    expect(body.message).not.toContain("no longer needed");
  });

  it("re-encrypts texts whose key id was reused for another key", async () => {
    const database = await emptyDatabase(kind);
    const ada = await (await start(database, OLD)).member("ada");
    const reused = { ...NEW, id: OLD.id };
    const login = async (hub: TestHub) =>
      (await hub.guest().post("/api/login", { username: "ada", password: PASSWORD })).body.api_key;
    // Without the old key no text can be decrypted.
    expect((await rotate(await start(database, reused))).body).toMatchObject({
      rewrapped: { api_keys: 0 },
      unreadable: { api_keys: 1 },
    });
    const during = await start(database, reused, { ...OLD, id: "k0" });
    expect(await login(during)).toBe(ada.apiKey);
    expect((await rotate(during)).body).toMatchObject({
      rewrapped: { api_keys: 1 },
      unreadable: { api_keys: 0 },
    });
    expect((await rotate(during)).body.rewrapped.api_keys).toBe(0);
    expect(await login(await start(database, reused))).toBe(ada.apiKey);
  });

  it("responds with 404 to any caller but the operator", async () => {
    const hub = await start(await emptyDatabase(kind), OLD);
    const ada = await hub.vip("ada");
    for (const who of [ada, hub.guest(), clientOf(hub, `${ADMIN_TOKEN}x`)]) {
      expect(failureOf(await who.post("/api/admin/rotate-keys"))).toEqual([404, "not_found"]);
    }
  });
});
