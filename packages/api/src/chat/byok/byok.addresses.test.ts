import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  type RoomName,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { fakeResolver } from "../../testing/servers/fake-resolver.ts";
import { startTrapServer, type TrapServer } from "../../testing/servers/trap-server.ts";
import { hostAndPort } from "./allowed-hosts.ts";
import { type KeyOwner, sealProviderKey } from "./stored-key.ts";

/**
 * Decisions §5, BYOK, Addresses: the hub calls listed hosts and public addresses only. The trap
 * server listens on every local address, so that it detects any other call.
 */
describe("addresses for own keys", () => {
  let trap: TrapServer;
  let own: OpenAiServer;
  let listed: string;
  let ada: Actor;
  let room: RoomName;
  let hub: ChatHub;
  /** Addresses that the fake resolver returns for every name, the provider's name included. */
  let addresses: string[] = [];

  beforeAll(async () => {
    trap = await startTrapServer();
    own = await startOpenAiServer();
    listed = hostAndPort(new URL(own.url));
    hub = await startChatHub({
      ownModelsOptions: {
        allowedHosts: [listed],
        retryDelayMs: 0,
        baseUrls: { openai: `https://api.openai.test:${trap.port}/v1` },
        lookup: (...args) => fakeResolver(addresses).lookup(...args),
      },
    });
    ada = await hub.member("ada");
    room = await openRoom(ada);
  });
  afterEach(async () => {
    addresses = [];
    await hub.hub.database.db.deleteFrom("provider_keys").execute();
    expect(trap.connections).toBe(0);
  });
  afterAll(async () => {
    await hub.close();
    await own.close();
    await trap[Symbol.asyncDispose]();
  });

  const save = (fields: object): Promise<Answer> =>
    ada.put("/api/byok", {
      provider: "openai-compatible",
      api_key: "sk-a-key",
      text_model: "own-text",
      ...fields,
    });
  const ask = () => ada.post("/api/self-chat", { ...room, content: "Is it dark?" });

  /** Writes a stored provider key to the database without the validation of a save. */
  async function store(columns: { provider: string; base_url?: string }): Promise<void> {
    const { db } = hub.hub.database;
    const { id } = await db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", "ada")
      .executeTakeFirstOrThrow();
    const owner: KeyOwner = { account_id: id, provider: columns.provider };
    await db
      .insertInto("provider_keys")
      .values({
        ...owner,
        ...columns,
        api_key_sealed: sealProviderKey(hub.hub, owner, "sk-a-key"),
        text_model: "own-text",
        active: true,
      })
      .execute();
  }

  const hosts = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0.0.0.0",
    "[::]",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "１２７.０.０.１",
    "127。0。0。1",
    "localhost.",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "169.254.169.254",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "[fd00::1]",
    "provider.example",
    "user:password@127.0.0.1",
    "LISTED@127.0.0.1",
    "LISTED%00@127.0.0.1",
    "LISTED\t@127.0.0.1",
    "LISTED\\@127.0.0.1",
  ].map((host) => `${host}:TRAP`);
  const hidden = ["#", "?", "/", "\\"].map((sign) => `127.0.0.1:TRAP${sign}@LISTED`);

  it.each([...hosts, ...hidden])(
    "%s can neither be saved nor be called if it was stored anyway",
    async (host) => {
      addresses = ["127.0.0.1"];
      const authority = host.replace("LISTED", listed).replace("TRAP", String(trap.port));
      for (const scheme of ["http", "https"]) {
        const base_url = `${scheme}://${authority}/v1`;
        expect(failureOf(await save({ base_url })), base_url).toEqual([400, "invalid_input"]);
        await store({ provider: "openai-compatible", base_url });
        expect(failureOf(await ask()), base_url).toEqual([403, "byok_inactive"]);
        await hub.hub.database.db.deleteFrom("provider_keys").execute();
      }
      expect((await ada.get("/api/byok")).body.keys).toEqual([]);
    },
  );

  it.each([
    "ftp://LISTED/v1",
    "file:///etc/passwd",
    "gopher://LISTED/v1",
    "ws://LISTED/v1",
    "unix:/run/docker.sock",
    "data:application/json,{}",
    "javascript:alert(1)",
    "//LISTED/v1",
    "LISTED/v1",
    "http://LISTED/v1?key=1",
    "http://LISTED/v1#x",
    "http://@LISTED/v1",
    "http:LISTED@127.0.0.1/v1",
    " http://LISTED/v1",
    "http://LISTED/v1\n",
    "http://LISTED/\u202ev1",
    "http://",
    "",
  ])("%j is refused as base_url", async (text) => {
    const base_url = text.replace("LISTED", listed);
    expect(failureOf(await save({ base_url }))).toEqual([400, "invalid_input"]);
  });

  it("a listed host is called at its listed port only", async () => {
    const requests = own.requests.length;
    expect((await save({ base_url: own.url })).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(own.requests.length).toBe(requests + 2);
    const elsewhere = own.url.replace(/:\d+/, `:${trap.port}`);
    expect(failureOf(await save({ base_url: elsewhere }))).toEqual([400, "invalid_input"]);
    expect(failureOf(await save({ base_url: own.url.replace(/:\d+/, "") }))).toEqual([
      400,
      "invalid_input",
    ]);
  });

  it.each([301, 302, 307, 308])(
    "a redirect of a listed host is not followed: %i",
    async (status) => {
      await save({ base_url: own.url });
      const location = `http://127.0.0.1:${trap.port}/v1`;
      own.failNext({ redirect: location, status }, { redirect: location, status });
      expect(failureOf(await save({ base_url: own.url }))).toEqual([502, "provider_failed"]);
      expect(failureOf(await ask())).toEqual([502, "provider_failed"]);
    },
  );

  it.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["the unspecified address", ["0.0.0.0"]],
    ["the cloud's metadata", ["169.254.169.254"]],
    ["a private network", ["10.1.2.3"]],
    ["an IPv4-mapped address", ["::ffff:127.0.0.1"]],
    ["a NAT64 address", ["64:ff9b::7f00:1"]],
    ["a public and a private address", ["8.8.8.8", "127.0.0.1"]],
    ["no address", []],
  ])("a provider whose name resolves to %s is not called", async (_, resolved) => {
    addresses = resolved;
    const answer = await ada.put("/api/byok", { provider: "openai", api_key: "sk-a-key" });
    expect(failureOf(answer)).toEqual([502, "provider_failed"]);
    await store({ provider: "openai" });
    expect(failureOf(await ask())).toEqual([502, "provider_failed"]);
    expect(answer.text).not.toMatch(/RefusedAddress|not public|127\.0/);
  });
});
