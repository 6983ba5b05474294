import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import { type SignInHub, startSignInHub } from "../credentials.fixture.ts";
import { withNamedKey } from "./named-key.fixture.ts";

const failureOf = ({ status, body }: { status: number; body: { error: string } }) => [
  status,
  body.error,
];

/** Named keys with scopes (0050). The scopes of each endpoint: transport/scopes.test.ts. */
describe("named API keys", () => {
  let hub: SignInHub;
  let ada: Actor;
  beforeAll(async () => {
    hub = await startSignInHub();
  });
  beforeEach(async () => {
    await hub.moveClock("0 days");
    ada = await hub.createMember();
  });
  afterAll(() => hub.close());

  const create = (more: object = {}, by = ada) =>
    by.post("/api/keys", { name: "laptop", scopes: ["chat"], password: PASSWORD, ...more });
  const list = async (by = ada) => (await by.get("/api/keys")).body.keys;
  const named = (scopes: Parameters<typeof withNamedKey>[2], more: object = {}) =>
    withNamedKey(hub, ada, scopes, more);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  it("are shown once, at their creation", async () => {
    const { status, body } = await create({ name: " laptop ", scopes: ["social", "chat", "chat"] });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: expect.any(String),
        api_key: expect.stringMatching(/^shk_[0-9A-Za-z]{36}$/),
        key: {
          id: expect.any(Number),
          name: "laptop",
          prefix: body.api_key.slice(0, 8),
          scopes: ["chat", "social"],
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
          last_used_at: null,
          expires_at: null,
          is_main: false,
        },
      },
    ]);
    const { text } = await ada.get("/api/keys");
    expect(text).not.toContain(body.api_key);
    expect(hub.log.join("")).not.toContain(body.api_key);
  });

  it("are stored as a hash only", async () => {
    const { body } = await create();
    const { rows } = await sql`select api_keys::text as row from api_keys`.execute(
      hub.hub.database.db,
    );
    expect(JSON.stringify(rows)).not.toContain(body.api_key);
  });

  it("are listed after the main key, newest first", async () => {
    await create({ name: "first" });
    await create({ name: "second" });
    const keys = await list();
    expect(keys.map(({ name, is_main }: never) => [name, is_main])).toEqual([
      ["Main key", true],
      ["second", false],
      ["first", false],
    ]);
    expect(keys[0]).toMatchObject({
      id: 0,
      prefix: ada.apiKey.slice(0, 8),
      scopes: ["souls:read", "souls:write", "chat", "social", "account:read"],
      expires_at: null,
    });
  });

  it("show their last use, exact to a minute", async () => {
    const key = await named(["account:read"]);
    const unused = await named(["account:read"]);
    expect((await key.get("/api/me")).status).toBe(200);
    const lastUse = async ({ keyId } = key) =>
      (await list()).find(({ id }: { id: number }) => id === keyId).last_used_at;
    await eventually(async () => expect(await lastUse()).not.toBeNull());
    expect(await lastUse(unused)).toBeNull();
    const [mainKey] = await list();
    expect(mainKey.last_used_at).not.toBeNull();
    const first = await lastUse();
    await hub.moveClock("2 minutes");
    await key.get("/api/me");
    await eventually(async () => expect((await lastUse()) > first).toBe(true));
  });

  it.each([
    ["without a password", { password: undefined }, [400, "invalid_input"]],
    ["with a wrong password", { password: "not this one" }, [403, "wrong_password"]],
    ["without a scope", { scopes: [] }, [400, "invalid_input"]],
    ["with an unknown scope", { scopes: ["everything"] }, [400, "invalid_input"]],
    ["without a name", { name: "  " }, [400, "invalid_input"]],
    ["with a name of 61 characters", { name: "x".repeat(61) }, [400, "invalid_input"]],
    ["with an expiry in the past", { expires_at: "2020-01-01" }, [400, "invalid_input"]],
    ["with an expiry after 6 years", { expires_at: inDays(6 * 365) }, [400, "invalid_input"]],
  ])("are refused %s", async (_, change, expected) => {
    expect(failureOf(await create(change))).toEqual(expected);
    expect(await list()).toHaveLength(1);
  });

  it("can be created and listed in a session, with the password", async () => {
    const { browser } = await hub.signIn(ada);
    expect((await create({}, browser)).status).toBe(200);
    expect(failureOf(await create({ password: "not this one" }, browser))).toEqual([
      403,
      "wrong_password",
    ]);
    expect(await list(browser)).toHaveLength(2);
  });

  it("are at most 50 that have not expired, also for simultaneous calls", async () => {
    const rows = Array.from({ length: 48 }, (_, nth) => `key ${nth}`);
    await sql`
      insert into api_keys (account_id, name, prefix, key_hash, scopes)
      select accounts.id, name, 'shk_', accounts.id || ' ' || name, 'chat'
      from accounts, unnest(${rows}::text[]) as name where username = ${ada.name}`.execute(
      hub.hub.database.db,
    );
    const soon = await named(["chat"], { expires_at: inDays(1) });
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(failureOf).sort()).toEqual([
      [200, undefined],
      [409, "too_many_keys"],
      [409, "too_many_keys"],
    ]);
    await hub.moveClock("2 days");
    expect((await soon.get("/api/souls")).status).toBe(401);
    expect((await create()).status).toBe(200);
  });

  it("are not created with a password that changes meanwhile", async () => {
    const { loginThrottle } = hub.hub;
    const { guard } = loginThrottle;
    let apiKey = "";
    const changed = { new_password: "another horse", confirm_password: "another horse" };
    loginThrottle.guard = async (attempt, check) => {
      const isRight = await guard(attempt, check);
      loginThrottle.guard = guard;
      const change = { current_password: PASSWORD, ...changed, revoke_keys: true };
      apiKey = (await ada.post("/api/change-password", change)).body.api_key;
      return isRight;
    };
    expect(failureOf(await create())).toEqual([403, "wrong_password"]);
    expect(await list(createActor({ name: "ada", apiKey, baseUrl: () => hub.url }))).toHaveLength(
      1,
    );
  });

  it("are renamed by their id", async () => {
    const key = await named(["chat"]);
    expect((await ada.put("/api/keys", { id: key.keyId, name: "phone" })).status).toBe(200);
    expect((await list())[1].name).toBe("phone");
  });

  it("of others are unknown", async () => {
    const key = await named(["chat"]);
    const ben = await hub.createMember();
    const rename = await ben.put("/api/keys", { id: key.keyId, name: "mine" });
    const revoke = await ben.delete(`/api/keys?id=${key.keyId}`);
    expect([rename, revoke].map(failureOf)).toEqual(Array(2).fill([404, "api_key_not_found"]));
    expect((await key.get("/api/souls")).status).toBe(200);
  });

  it("stop working at once when they are revoked, on every transport", async () => {
    const key = await named(["chat", "account:read"]);
    await using byKey = await hub.subscribe(key);
    await using byMainKey = await hub.subscribe(ada);
    expect((await ada.delete(`/api/keys?id=${key.keyId}`)).status).toBe(200);
    await eventually(() => expect(byKey.endedBy).toBe("unauthenticated"));
    expect(byMainKey.endedBy).toBeUndefined();
    await using again = joinAs(hub, key, { soul_id: 1, session_token: "lobby" });
    await eventually(() => expect(again.endedBy).toBe("unauthenticated"));
    const statuses = await Promise.all(
      ["/api/souls", "/trpc/souls.categories", "/v1/models"].map(
        async (path) => (await key.get(path)).status,
      ),
    );
    expect(statuses).toEqual([401, 401, 401]);
    expect(await list()).toHaveLength(1);
  });

  it("stop working when they expire, on every transport", async () => {
    const key = await named(["chat"], { expires_at: inDays(1) });
    await using visitor = await hub.subscribe(key);
    expect((await key.get("/api/souls")).status).toBe(200);
    await hub.moveClock("3 days");
    for (const path of ["/api/souls", "/trpc/souls.categories", "/v1/models"]) {
      expect((await key.get(path)).status).toBe(401);
    }
    hub.hub.rooms.recheckAll({ participantId: `account:${await idOf(ada)}` });
    await eventually(() => expect(visitor.endedBy).toBe("unauthenticated"));
    const [, expired] = await list();
    expect(expired.id).toBe(key.keyId);
  });

  const idOf = async ({ name }: Actor) => {
    const { db } = hub.hub.database;
    const account = db.selectFrom("accounts").select("id").where("username", "=", name);
    return (await account.executeTakeFirstOrThrow()).id;
  };

  it("revoke themselves without an id, and no other key", async () => {
    const [one, other] = [await named(["social"]), await named(["chat"])];
    expect(failureOf(await one.delete(`/api/keys?id=${other.keyId}`))).toEqual([
      403,
      "scope_missing",
    ]);
    expect((await one.delete("/api/keys")).status).toBe(200);
    expect((await one.get("/api/souls")).status).toBe(401);
    expect((await other.get("/api/souls")).status).toBe(200);
  });

  it("do not include the main key, which cannot be revoked", async () => {
    const answers = [await ada.delete("/api/keys"), await ada.delete("/api/keys?id=0")];
    expect(answers.map(failureOf)).toEqual(Array(2).fill([400, "invalid_input"]));
    expect((await ada.get("/api/me")).status).toBe(200);
  });

  it("stay valid when the password changes, unless `revoke_keys` revokes them all", async () => {
    const key = await named(["account:read", "chat"]);
    const change = (from: string, to: string, more: object = {}) =>
      ada.post("/api/change-password", {
        current_password: from,
        new_password: to,
        confirm_password: to,
        ...more,
      });
    expect((await change(PASSWORD, "a quieter battery")).body.api_key).toBeUndefined();
    expect((await key.get("/api/me")).status).toBe(200);
    await using byKey = await hub.subscribe(key);
    const { body } = await change("a quieter battery", PASSWORD, { revoke_keys: true });
    for (const revoked of [key, ada]) expect((await revoked.get("/api/me")).status).toBe(401);
    const authorization = `Bearer ${body.api_key}`;
    expect((await hub.guest().get("/api/me", { authorization })).status).toBe(200);
    await eventually(() => expect(byKey.endedBy).toBe("unauthenticated"));
  });

  describe("and private souls of their owner", () => {
    let soul: number;
    beforeEach(async () => {
      const secret = { title: "Diary", content: "My own.", is_public: 0 };
      soul = (await ada.post("/api/souls", secret)).body.id;
    });

    it("read them with the scope souls:read only", async () => {
      const paths = [`/api/soul/${soul}`, `/api/versions?soul_id=${soul}`];
      const reader = await named(["souls:read"]);
      const writer = await named(["souls:write", "chat", "social", "account:read"]);
      for (const path of paths) {
        expect((await reader.get(path)).status).toBe(200);
        const refused = await writer.get(path);
        expect([...failureOf(refused), refused.body.scope]).toEqual([
          403,
          "scope_missing",
          "souls:read",
        ]);
      }
    });

    it("learn nothing of the private souls of others", async () => {
      const ben = await hub.createMember();
      const key = await withNamedKey(hub, ben, ["chat"]);
      expect(failureOf(await key.get(`/api/soul/${soul}`))).toEqual([404, "soul_not_found"]);
    });

    it("change them with the scope souls:write alone", async () => {
      const writer = await named(["souls:write"]);
      expect((await writer.put(`/api/soul/${soul}`, { title: "Log" })).status).toBe(200);
      expect((await ada.get(`/api/soul/${soul}`)).body.data.title).toBe("Log");
    });

    it("see hidden versions with the scope souls:read only", async () => {
      await ada.put(`/api/soul/${soul}`, { is_public: 1, title: "Log" });
      await ada.put("/api/version", { soul_id: soul, number: 1, is_hidden: true });
      const count = async (key: Actor) =>
        (await key.get(`/api/versions?soul_id=${soul}`)).body.count;
      expect(await count(await named(["souls:read"]))).toBe(1);
      expect(await count(await named(["chat"]))).toBe(0);
    });
  });
});
