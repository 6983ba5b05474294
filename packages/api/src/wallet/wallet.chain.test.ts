import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  functionCall,
  type NearRpcServer,
  startNearRpcServer,
} from "../testing/servers/near-rpc-server.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import type { ChainPort } from "./chain-port.ts";
import { createNearChain } from "./near/near-chain.ts";
import { bindBody, createWallet, loginBody, prove, type TestWallet } from "./wallet.fixture.ts";

/**
 * If the hub has a chain, wallets are verified, and verified wallets displace pinned ones
 * (decisions §4).
 */
describe("wallets on the chain,", () => {
  let hub: TestHub;
  let near: NearRpcServer;
  let chain: ChainPort;
  beforeAll(async () => {
    near = await startNearRpcServer();
    chain = createNearChain({ urls: [near.url], log: pino({ level: "silent" }) });
    hub = await startTestHub();
  });
  afterAll(async () => {
    await hub.close();
    await near[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    near.fault = null;
    hub.hub.chain = chain;
  });

  const me = async (actor: Actor) => (await actor.get("/api/me")).body.user;
  const bind = async (actor: Actor, wallet: TestWallet, proof = prove(wallet)) => {
    const { status, body } = await actor.post("/api/bind-wallet", bindBody(wallet, proof));
    return status === 200 ? 200 : body.error;
  };
  /** Logs in with the wallet. @returns the username of the session, or the error code */
  const login = async (wallet: TestWallet, proof = prove(wallet)) => {
    const browser = hub.guest();
    const { status, body } = await browser.post("/api/wallet-login", loginBody(wallet, proof));
    return status === 200 ? (await me(browser)).username : body.error;
  };
  /** Creates a wallet and registers its key on the chain, with full access. */
  const onChain = (name: string) => {
    const wallet = createWallet(name);
    near.account(name, { [wallet.publicKey]: "FullAccess" });
    return wallet;
  };
  /** Creates a wallet of this name whose key the chain does not know. */
  const otherKey = (name: string) => createWallet(name);

  it("verifies a wallet by a full-access key; each full-access key can log in", async () => {
    const ada = await hub.member("ada");
    const wallet = onChain("ada.near");
    expect(await bind(ada, wallet)).toBe(200);
    expect(await me(ada)).toMatchObject({ wallet: "ada.near", wallet_verified: true });
    const second = onChain("ada.near");
    expect([await login(wallet), await login(second)]).toEqual(["ada", "ada"]);
    near.removeKey("ada.near", wallet.publicKey);
    expect([await login(wallet), await login(second)]).toEqual(["invalid_wallet_proof", "ada"]);
  });

  it("refuses a function-call key, an unknown key and an unknown account", async () => {
    const ben = await hub.member("ben");
    const limited = createWallet("ben.near");
    near.account("ben.near", { [limited.publicKey]: functionCall });
    for (const wallet of [limited, otherKey("ben.near"), createWallet("nobody.near")]) {
      expect(await bind(ben, wallet)).toBe("invalid_wallet_proof");
      expect(await login(wallet)).toBe("invalid_wallet_proof");
    }
    expect((await me(ben)).wallet).toBe(null);
  });

  it("accepts an implicit account unknown to the chain with its own key only", async () => {
    const ivy = await hub.member("ivy");
    const key = createWallet("");
    const implicit = { ...key, name: key.implicitName };
    expect(await bind(ivy, { ...otherKey(""), name: implicit.name })).toBe("invalid_wallet_proof");
    expect(await bind(ivy, implicit)).toBe(200);
    expect((await me(ivy)).wallet_verified).toBe(true);
    expect(await login(implicit)).toBe("ivy");
  });

  it("is 503 while the chain is unavailable, and the proof stays usable", async () => {
    const cleo = await hub.member("cleo");
    const wallet = onChain("cleo.near");
    const proof = prove(wallet);
    near.fault = { status: 500 };
    const { status, body, headers } = await cleo.post("/api/bind-wallet", bindBody(wallet, proof));
    expect([status, body.error, headers.get("retry-after")]).toEqual([
      503,
      "chain_unavailable",
      "5",
    ]);
    expect((await me(cleo)).wallet).toBe(null);
    near.fault = null;
    expect(await bind(cleo, wallet, proof)).toBe(200);
    const again = prove(wallet);
    near.fault = { cause: "INTERNAL_ERROR" };
    expect(await login(wallet, again)).toBe("chain_unavailable");
    // A login with an unbound wallet also fails with `chain_unavailable`. Otherwise the error would
    // reveal which wallets are bound.
    expect(await login(createWallet("unknown.near"))).toBe("chain_unavailable");
    near.fault = null;
    expect(await login(wallet, again)).toBe("cleo");
  });

  it("does not query the chain for a bound account or an invalid proof", async () => {
    const dora = await hub.member("dora");
    await bind(dora, onChain("dora.near"));
    near.fault = { status: 500 };
    const before = near.requests.length;
    expect(await bind(dora, onChain("dora2.near"))).toBe("wallet_already_bound");
    const forged = { ...prove(createWallet("x.near")), signature: "11".repeat(64) };
    expect(await login(createWallet("x.near"), forged)).toBe("invalid_wallet_proof");
    expect(near.requests).toHaveLength(before);
  });

  it("reports wallet_in_use only to callers with a full-access key", async () => {
    const wallet = onChain("taken.near");
    await bind(await hub.member("first"), wallet);
    const second = await hub.member("second");
    expect(await bind(second, otherKey("taken.near"))).toBe("invalid_wallet_proof");
    expect(await bind(second, wallet)).toBe("wallet_in_use");
    expect(await login(wallet)).toBe("first");
  });

  describe("a wallet pinned without a chain", () => {
    const pin = async (actor: Actor, wallet: TestWallet) => {
      hub.hub.chain = null;
      expect(await bind(actor, wallet)).toBe(200);
      hub.hub.chain = chain;
    };

    it("is displaced by a verified binding and unbound", async () => {
      const squatter = await hub.member("squatter");
      const squat = otherKey("erin.near");
      await pin(squatter, squat);
      const erin = await hub.member("erin");
      const wallet = onChain("erin.near");
      expect(await bind(erin, wallet)).toBe(200);
      expect(await me(erin)).toMatchObject({ wallet: "erin.near", wallet_verified: true });
      expect(await me(squatter)).toMatchObject({ wallet: null, wallet_verified: false });
      expect([await login(wallet), await login(squat)]).toEqual(["erin", "invalid_wallet_proof"]);
      hub.hub.chain = null;
      expect(await login(squat)).toBe("invalid_wallet_proof");
      expect(await bind(squatter, squat)).toBe("wallet_in_use");
      expect(await bind(squatter, otherKey("squatter.near"))).toBe(200);
    });

    it("does not log the wallet's owner in to the account that pinned it", async () => {
      await pin(await hub.member("trapper"), otherKey("frank.near"));
      expect(await login(onChain("frank.near"))).toBe("invalid_wallet_proof");
    });

    it("is verified by the first login with a confirmed key", async () => {
      const gina = await hub.member("gina");
      const wallet = onChain("gina.near");
      await pin(gina, wallet);
      expect((await me(gina)).wallet_verified).toBe(false);
      expect(await login(wallet)).toBe("gina");
      expect((await me(gina)).wallet_verified).toBe(true);
    });

    it("can be verified by its account with another key; no other wallet can be bound", async () => {
      const hana = await hub.member("hana");
      await pin(hana, otherKey("hana.near"));
      expect(await bind(hana, onChain("hana2.near"))).toBe("wallet_already_bound");
      expect(await bind(hana, onChain("hana.near"))).toBe(200);
      expect(await me(hana)).toMatchObject({ wallet: "hana.near", wallet_verified: true });
      expect(await bind(hana, onChain("hana.near"))).toBe("wallet_already_bound");
    });
  });

  it("accepts only the binding key of a verified wallet without a chain", async () => {
    const wallet = onChain("kim.near");
    await bind(await hub.member("kim"), wallet);
    hub.hub.chain = null;
    expect(await login(wallet)).toBe("kim");
    expect(await login(otherKey("kim.near"))).toBe("invalid_wallet_proof");
    expect(await bind(await hub.member("late"), otherKey("kim.near"))).toBe("wallet_in_use");
  });

  describe("concurrently", () => {
    const rivals = (name: string) =>
      Promise.all(Array.from({ length: 4 }, (_, n) => hub.member(`${name}-${n}`)));

    it.each(["free", "pinned"])("binds a %s wallet to one of four accounts", async (state) => {
      const name = `${state}.near`;
      const wallet = onChain(name);
      const accounts = await rivals(state);
      const squatter = await hub.member(`squats-${state}`);
      if (state === "pinned") {
        hub.hub.chain = null;
        expect(await bind(squatter, otherKey(name))).toBe(200);
        hub.hub.chain = chain;
      }
      const results = await Promise.all(accounts.map((account) => bind(account, wallet)));
      expect(results.sort()).toEqual([200, ...Array(3).fill("wallet_in_use")]);
      const holders = await Promise.all([squatter, ...accounts].map(me));
      expect(holders.filter((user) => user.wallet === name)).toEqual([
        expect.objectContaining({ wallet_verified: true }),
      ]);
    });

    it("binds one of eight wallets to an account", async () => {
      const account = await hub.member("greedy");
      const wallets = Array.from({ length: 8 }, (_, n) => onChain(`greedy-${n}.near`));
      const results = await Promise.all(wallets.map((wallet) => bind(account, wallet)));
      expect(results.sort()).toEqual([200, ...Array(7).fill("wallet_already_bound")]);
    });
  });
});
