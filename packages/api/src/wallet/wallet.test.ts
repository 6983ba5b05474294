import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { bindBody, createWallet, loginBody, prove, proveByNep413 } from "./wallet.fixture.ts";

/**
 * Without a chain, binding a wallet pins its key (decisions §4). For hubs with a chain see
 * wallet.chain.test.ts.
 */
describeHub("pinned wallets", {}, (hub) => {
  /** The account that is bound to the wallet `bound`. */
  let owner: Actor;
  const bound = createWallet("bound.near");
  beforeAll(async () => {
    owner = await hub.member("omar");
    expect((await owner.post("/api/bind-wallet", bindBody(bound))).status).toBe(200);
  });

  const me = async (actor: Actor) => (await actor.get("/api/me")).body.user;
  const outcome = ({ status, body }: Awaited<ReturnType<Actor["post"]>>) => [status, body.error];

  describe("POST /api/bind-wallet", () => {
    it("binds the wallet to the caller's account, unverified", async () => {
      const ada = await hub.member("ada");
      expect(await me(ada)).toMatchObject({ wallet: null, wallet_verified: false });
      const { status, body } = await ada.post(
        "/api/bind-wallet",
        bindBody(createWallet("ada.near")),
      );
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.stringContaining("ada.near") });
      expect(await me(ada)).toMatchObject({ wallet: "ada.near", wallet_verified: false });
    });

    it("accepts a missing action but no other than bind", async () => {
      const ben = await hub.member("ben");
      const { action: _, ...body } = bindBody(createWallet("ben.near"));
      const unbind = await ben.post("/api/bind-wallet", { ...body, action: "unbind" });
      expect([...outcome(unbind), unbind.body.details[0].field]).toEqual([
        400,
        "invalid_input",
        "action",
      ]);
      expect((await ben.post("/api/bind-wallet", body)).status).toBe(200);
    });

    it("requires an API key", async () => {
      const guest = await hub.guest().post("/api/bind-wallet", "not even an object");
      expect(outcome(guest)).toEqual([401, "unauthenticated"]);
      await hub.member("cookie-only");
      const browser = hub.guest();
      await browser.post("/api/login", {
        username: "cookie-only",
        password: PASSWORD,
        remember: true,
      });
      const answer = await browser.post("/api/bind-wallet", bindBody(createWallet("cookie.near")));
      expect(outcome(answer)).toEqual([401, "unauthenticated"]);
    });

    it("refuses a second binding", async () => {
      for (const wallet of [bound, createWallet("other.near")]) {
        const answer = await owner.post("/api/bind-wallet", bindBody(wallet));
        expect(outcome(answer)).toEqual([409, "wallet_already_bound"]);
      }
      expect((await me(owner)).wallet).toBe("bound.near");
    });

    it("refuses a wallet of another account", async () => {
      const thief = await hub.member("thief");
      const claim = bindBody({ ...createWallet("bound.near") });
      expect(outcome(await thief.post("/api/bind-wallet", claim))).toEqual([409, "wallet_in_use"]);
      expect((await me(thief)).wallet).toBe(null);
      expect((await me(owner)).wallet).toBe("bound.near");
    });

    it("checks the proof before the conflict", async () => {
      const forged = bindBody(bound, { ...prove(bound), signature: "00".repeat(64) });
      expect(outcome(await owner.post("/api/bind-wallet", forged))).toEqual([
        401,
        "invalid_wallet_proof",
      ]);
    });
  });

  describe("input", () => {
    const key = bound.publicKey;
    it.each([
      ["wallet", "A.near"],
      ["wallet", "a"],
      ["wallet", "a".repeat(65)],
      ["wallet", "a..near"],
      ["wallet", "-a.near"],
      ["wallet", "a.near-"],
      ["wallet", "a_-b.near"],
      ["wallet", "ädä.near"],
      ["wallet", "a.near\n"],
      ["wallet", ""],
      ["wallet", null],
      ["public_key", key.slice("ed25519:".length)],
      ["public_key", key.replace("ed25519", "secp256k1")],
      ["public_key", key.slice(0, -3)],
      ["public_key", `${key}11`],
      ["public_key", `${key} `],
      ["public_key", key.replace("ed25519:", "ed25519:1")],
      ["public_key", `ed25519:${"1".repeat(33)}`],
      ["public_key", 7],
      ["message", "service_auth:"],
      ["message", "service_auth:176722560000"],
      ["message", "service_auth:17672256000000"],
      ["message", "service_auth:1767225600000 "],
      ["message", " service_auth:1767225600000"],
      ["message", "service_auth:+176722560000"],
      ["message", "service_auth:1767225600000\n"],
      ["message", "SERVICE_AUTH:1767225600000"],
      ["message", "auth:1767225600000"],
      ["message", undefined],
      ["signature", ""],
      ["signature", null],
      ["nonce", "AAAA"],
      ["nonce", `${"A".repeat(42)}B=`],
      ["nonce", undefined],
      ["recipient", undefined],
      ["recipient", 7],
      ["callback_url", ""],
      ["callback_url", "x".repeat(2_049)],
    ])("refuses %s = %j and names a field in details", async (field, value) => {
      const proof = proveByNep413(bound, new URL(hub.url).host);
      for (const [path, body] of [
        ["/api/bind-wallet", { ...bindBody(bound, proof), [field]: value }],
        [
          "/api/wallet-login",
          { ...loginBody(bound, proof), [field === "wallet" ? "account_id" : field]: value },
        ],
      ] as const) {
        const { status, body: answer } = await owner.post(path, body);
        expect([path, status, answer.error]).toEqual([path, 400, "invalid_input"]);
        expect(answer.details[0].field).toMatch(new RegExp(`^(${field}|account_id|nonce)$`));
      }
    });

    it("accepts every valid NEAR account name", async () => {
      const names = ["aa", "a.b", "1_4m_n0t-al1c3.near", "0".repeat(64), "app.stage.testnet"];
      for (const name of names) {
        const answer = await hub.guest().post("/api/wallet-login", loginBody(createWallet(name)));
        expect([name, ...outcome(answer)]).toEqual([name, 401, "invalid_wallet_proof"]);
      }
    });
  });

  describe("POST /api/wallet-login", () => {
    it("responds with success only and sets a session cookie for 30 days", async () => {
      const browser = hub.guest();
      const { status, body, headers } = await browser.post("/api/wallet-login", loginBody(bound));
      expect([status, body]).toEqual([200, { success: true }]);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^soulhub_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect((await me(browser)).username).toBe("omar");
    });

    it("expires the session after 30 days by the database clock", async () => {
      const browser = hub.guest();
      await browser.post("/api/wallet-login", loginBody(bound));
      await hub.moveClock("29 days");
      expect((await browser.get("/api/me")).status).toBe(200);
      await hub.moveClock("31 days");
      expect((await browser.get("/api/me")).status).toBe(401);
      await hub.moveClock("0");
    });

    it("accepts the pinned key only and responds identically to an unknown wallet", async () => {
      const otherKey = await hub
        .guest()
        .post("/api/wallet-login", loginBody({ ...createWallet("bound.near") }));
      const unknown = await hub
        .guest()
        .post("/api/wallet-login", loginBody({ ...bound, name: "unbound.near" }));
      expect(outcome(otherKey)).toEqual([401, "invalid_wallet_proof"]);
      expect({ ...otherKey.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
      for (const { headers } of [otherKey, unknown]) expect(headers.getSetCookie()).toEqual([]);
    });

    it("works over tRPC, where a session can bind too", async () => {
      await hub.member("trudy");
      const browser = await hub.signIn("trudy");
      const trudy = createWallet("trudy.near");
      const bind = await browser.post("/trpc/wallet.bind", bindBody(trudy));
      expect(bind.body.result.data).toEqual({ message: expect.any(String) });
      const other = hub.guest();
      const login = await other.post("/trpc/wallet.login", loginBody(trudy));
      expect(login.body.result.data).toEqual({});
      expect((await me(other)).username).toBe("trudy");
      const again = await other.post("/trpc/wallet.login", loginBody(trudy, prove(bound)));
      expect(again.body.error.data).toMatchObject({
        error: "invalid_wallet_proof",
        httpStatus: 401,
      });
    });

    it("neither logs nor stores signatures", async () => {
      const proof = prove(bound);
      await hub.guest().post("/api/wallet-login", loginBody(bound, proof));
      await hub.guest().post("/api/wallet-login", loginBody(bound, proof));
      expect(hub.log.join("")).not.toContain(proof.signature);
      const rows = await hub.hub.database.db.selectFrom("wallet_proofs").selectAll().execute();
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(proof.signature);
    });
  });
});
