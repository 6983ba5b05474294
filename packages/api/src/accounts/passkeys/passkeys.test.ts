import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Actor, type Answer, createActor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { type SmtpSink, startSmtpSink } from "../../testing/servers/smtp-sink.ts";
import { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "../../testing/test-hub.ts";
import {
  type Authenticator,
  addPasskeyTo,
  createAuthenticator,
  optionsFor,
} from "./authenticator.fixture.ts";

const outcome = ({ status, body }: Answer) => [status, body.error];
const rejected = [401, "passkey_rejected"];

/** Passkeys (0060). The page's part is tested in Chromium: apps/web/test/site/passkeys.test.ts. */
describe("passkeys", () => {
  const opened = new AsyncDisposableStack();
  let sink: SmtpSink;
  let hub: TestHub;
  let ada: Actor;
  let device: Authenticator;
  let names = 0;
  beforeAll(async () => {
    sink = opened.use(await startSmtpSink());
    hub = opened.use(await startTestHub({ smtpUrl: sink.url }));
  });
  beforeEach(async () => {
    await hub.moveClock("0 days");
    ada = await hub.member(`person-${++names}`);
    device = createAuthenticator(hub.url);
  });
  afterAll(() => opened.disposeAsync());

  const signed = async (more?: Parameters<Authenticator["sign"]>[1], by = device) =>
    by.sign(await optionsFor(hub.guest(), "sign-in"), more);
  const login = (response: object, more: object = {}) =>
    hub.guest().post("/api/passkey-login", { response, ...more });
  const add = (more?: object) => addPasskeyTo(ada, device, more);
  const list = async () => (await ada.get("/api/passkeys")).body;

  it("ask the device for a discoverable passkey of this host, and to verify its user", async () => {
    expect(await optionsFor(ada, "add")).toMatchObject({
      rp: { id: "127.0.0.1" },
      user: { name: ada.name },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const options = await optionsFor(hub.guest(), "sign-in");
    expect(options).toMatchObject({ rpId: "127.0.0.1", userVerification: "required" });
    expect(options.allowCredentials).toBeUndefined();
  });

  it("are added, listed, counted in me, and used for a login without a username", async () => {
    const { status, body } = await add({ name: "  my phone " });
    expect([status, body.passkey]).toEqual([
      200,
      {
        id: expect.any(Number),
        name: "my phone",
        created_at: expect.any(String),
        last_used_at: null,
        usable: true,
      },
    ]);
    expect(await list()).toMatchObject({ success: true, count: 1, data: [body.passkey] });
    expect((await ada.get("/api/me")).body.user.passkeys).toBe(1);
    const browser = hub.guest();
    const answer = await browser.post("/api/passkey-login", {
      response: await signed(),
      remember: true,
    });
    expect(answer.body).toEqual({
      success: true,
      message: `Welcome back, ${ada.name}.`,
      api_key: ada.apiKey,
    });
    expect((await browser.get("/api/me")).body.user.username).toBe(ada.name);
    expect((await list()).data[0].last_used_at).toEqual(expect.any(String));
  });

  it("set no cookie without `remember`", async () => {
    await add();
    const { status, headers } = await login(await signed());
    expect([status, headers.getSetCookie()]).toEqual([200, []]);
  });

  it("are mailed about when they are added and removed", async () => {
    const { body } = await add();
    await ada.send(
      "DELETE",
      `/api/passkeys/${body.passkey.id}`,
      JSON.stringify({ password: PASSWORD }),
      { "content-type": "application/json" },
    );
    const texts = () => sink.to(`${ada.name}@example.org`).map(({ text }) => text);
    for (const change of ["added", "removed"]) {
      await eventually(() =>
        expect(texts().some((text) => text.includes(`“my phone” was ${change}`))).toBe(true),
      );
    }
  });

  it("are refused when an answer is replayed", async () => {
    await add();
    const response = await signed();
    expect((await login(response)).status).toBe(200);
    expect(outcome(await login(response))).toEqual(rejected);
    const both = await signed();
    const statuses = (await Promise.all([login(both), login(both)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401]);
  });

  it("are refused after five minutes", async () => {
    await add();
    const response = await signed();
    await hub.moveClock("6 minutes");
    expect(outcome(await login(response))).toEqual(rejected);
  });

  it("are refused for another origin, another host, without verification or a right signature", async () => {
    await add();
    const { signature } = (await signed()).response;
    const wrong = [
      await signed({ origin: "https://evil.example" }),
      await signed({ rpId: "evil.example" }),
      await signed({ isVerified: false }),
      await signed({ userHandle: Buffer.from("1000000").toString("base64url") }),
      await signed({}, createAuthenticator(hub.url)),
      device.sign({ challenge: "AA" }),
      device.sign({ challenge: "\0" }),
    ];
    const forged = await signed();
    wrong.push({ ...forged, response: { ...forged.response, signature } });
    for (const response of wrong) expect(outcome(await login(response))).toEqual(rejected);
    // The challenge of a refused answer is used up as well.
    const options = await optionsFor(hub.guest(), "sign-in");
    await login(device.sign(options, { isVerified: false }));
    expect(outcome(await login(device.sign(options)))).toEqual(rejected);
    expect((await login(await signed())).status).toBe(200);
  });

  it("are refused when the device's counter goes back: it was copied", async () => {
    await add();
    expect((await login(await signed({ counter: 7 }))).status).toBe(200);
    expect(outcome(await login(await signed({ counter: 7 })))).toEqual(rejected);
    expect((await login(await signed({ counter: 8 }))).status).toBe(200);
  });

  it("are not added by an answer for another account, origin or purpose, or without verification", async () => {
    const ben = await hub.member(`ben-${names}`);
    const options = (by: Actor, purpose: "add" | "sign-in" = "add") => optionsFor(by, purpose);
    const user = { id: "MQ" };
    const answers = [
      device.create(await options(ben)),
      device.create({ ...(await options(ada, "sign-in")), user }),
      device.create(await options(ada), { origin: "https://evil.example" }),
      device.create(await options(ada), { rpId: "evil.example" }),
      device.create(await options(ada), { isVerified: false }),
    ];
    for (const response of answers) {
      const body = { response, name: "phone", password: PASSWORD };
      expect(outcome(await ada.post("/api/passkeys", body))).toEqual(rejected);
    }
    expect((await add()).status).toBe(200);
    // The same passkey for a second account.
    expect(outcome(await addPasskeyTo(ben, device))).toEqual(rejected);
  });

  it("need a proof to be added: the password or a passkey of this account", async () => {
    const proofless = await addPasskeyTo(ada, device, { password: undefined });
    expect(outcome(proofless)).toEqual([403, "wrong_password"]);
    await add();
    const second = createAuthenticator(hub.url);
    const byPasskey = { password: undefined, passkey: await signed() };
    expect((await addPasskeyTo(ada, second, byPasskey)).status).toBe(200);
    const third = createAuthenticator(hub.url);
    expect(outcome(await addPasskeyTo(ada, third, byPasskey))).toEqual(rejected);
    const ben = await hub.member(`ben-${names}`);
    const foreign = { password: undefined, passkey: await signed() };
    expect(outcome(await addPasskeyTo(ben, third, foreign))).toEqual(rejected);
  });

  it("are not even begun with a wrong password, or while the account is suspended", async () => {
    const begin = (more: object) => ada.post("/api/passkeys/options", { purpose: "add", ...more });
    expect(outcome(await begin({ password: "not this one" }))).toEqual([403, "wrong_password"]);
    expect((await begin({ password: PASSWORD })).body.options.challenge).toEqual(
      expect.any(String),
    );
    const operator = createActor({ name: "op", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url });
    await operator.post("/api/admin/suspend", { username: ada.name });
    expect(outcome(await begin({}))).toEqual([403, "account_suspended"]);
    expect((await optionsFor(ada, "sign-in")).challenge).toEqual(expect.any(String));
  });

  it("count wrong proofs like failed logins", async () => {
    const limited = await startTestHub({ config: { rateLimits: true } });
    try {
      const eve = await limited.member("eve");
      const stray = createAuthenticator(limited.url);
      const wrong = () =>
        eve.send(
          "DELETE",
          "/api/passkeys/1",
          JSON.stringify({ passkey: stray.sign({ challenge: "AA" }) }),
          { "content-type": "application/json" },
        );
      for (let attempt = 0; attempt < 10; attempt++) expect((await wrong()).status).toBe(401);
      expect(outcome(await wrong())).toEqual([429, "rate_limited"]);
    } finally {
      await limited.close();
    }
  });

  it("stop working when they are removed; those of others are unknown", async () => {
    const { body } = await add();
    const remove = (by: Actor) =>
      by.send(
        "DELETE",
        `/api/passkeys/${body.passkey.id}`,
        JSON.stringify({ password: PASSWORD }),
        { "content-type": "application/json" },
      );
    const ben = await hub.member(`ben-${names}`);
    expect(outcome(await remove(ben))).toEqual([404, "passkey_not_found"]);
    const response = await signed();
    expect((await remove(ada)).status).toBe(200);
    expect(outcome(await login(response))).toEqual(rejected);
    expect((await list()).count).toBe(0);
  });

  it("of an account are ten at most, also when they are added at once", async () => {
    const devices = Array.from({ length: 12 }, () => createAuthenticator(hub.url));
    const options = await Promise.all(devices.map(() => optionsFor(ada, "add")));
    const answers = await Promise.all(
      devices.map((one, at) =>
        ada.post("/api/passkeys", {
          response: one.create(options[at]),
          name: `device ${at}`,
          password: PASSWORD,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const others = answers.filter(({ status }) => status !== 200).map(outcome);
    expect(others).toEqual(Array(2).fill([409, "too_many_passkeys"]));
    expect((await list()).count).toBe(10);
  });

  it("are not usable after a change of the hub's host, and are again when it comes back", async () => {
    await add();
    const { config } = hub.hub;
    const { baseUrl } = config;
    try {
      config.baseUrl = baseUrl.replace("127.0.0.1", "localhost");
      expect((await list()).data).toMatchObject([{ usable: false }]);
      const there = { origin: new URL(config.baseUrl).origin };
      expect(outcome(await login(await signed({ ...there, rpId: "127.0.0.1" })))).toEqual(rejected);
      expect(outcome(await login(await signed({ ...there, rpId: "localhost" })))).toEqual(rejected);
    } finally {
      config.baseUrl = baseUrl;
    }
    expect((await list()).data).toMatchObject([{ usable: true }]);
    expect((await login(await signed())).status).toBe(200);
  });

  it("are offered with https and on localhost, for no address", async () => {
    const { config } = hub.hub;
    const { baseUrl } = config;
    const offered = async (url: string) => {
      config.baseUrl = url;
      return (await hub.guest().get("/api/hub")).body.passkeys;
    };
    try {
      expect(await offered("https://hub.example")).toBe(true);
      expect(await offered("http://localhost:3000")).toBe(true);
      for (const url of ["http://hub.example", "https://127.0.0.1", "https://[::1]:3000"]) {
        expect([url, await offered(url)]).toEqual([url, false]);
      }
    } finally {
      config.baseUrl = baseUrl;
    }
  });

  it("stay when the password changes", async () => {
    await add();
    const new_password = "a quieter battery";
    const change = { current_password: PASSWORD, new_password, confirm_password: new_password };
    expect((await ada.post("/api/change-password", change)).status).toBe(200);
    expect((await login(await signed())).status).toBe(200);
  });
});
