import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  functionCall,
  type NearRpcServer,
  startNearRpcServer,
} from "../testing/near-rpc-server.ts";
import { testDatabases } from "../testing/test-database.ts";
import { startTestHub, type TestHub } from "../testing/test-hub.ts";
import type { ChainPort } from "./chain-port.ts";
import { createNearChain } from "./near-chain.ts";
import { bindBody, createWallet, loginBody, prove, type TestWallet } from "./wallet.fixture.ts";

/** With a chain (decisions §4): who it says, and who it displaces. */
describe.each(testDatabases())("wallets on the chain, on %s", (database) => {
  let hub: TestHub;
  let near: NearRpcServer;
  let chain: ChainPort;
  beforeAll(async () => {
    near = await startNearRpcServer();
    chain = createNearChain({ urls: [near.url], log: pino({ level: "silent" }) });
    hub = await startTestHub({ database });
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
  /** The name of the account that is signed in to, or the failure. */
  const login = async (wallet: TestWallet, proof = prove(wallet)) => {
    const browser = hub.guest();
    const { status, body } = await browser.post("/api/wallet-login", loginBody(wallet, proof));
    return status === 200 ? (await me(browser)).username : body.error;
  };
  const onChain = (name: string) => {
    const wallet = createWallet(name);
    near.account(name, { [wallet.publicKey]: "FullAccess" });
    return wallet;
  };
  /** Another key for the same name. */
  const otherKey = (name: string) => createWallet(name);

  it("verifies a wallet whose key has full access, and every such key can log in", async () => {
    const ada = await hub.member("ada");
    const wallet = onChain("ada.near");
    expect(await bind(ada, wallet)).toBe(200);
    expect(await me(ada)).toMatchObject({ wallet: "ada.near", wallet_verified: true });
    const second = onChain("ada.near");
    expect([await login(wallet), await login(second)]).toEqual(["ada", "ada"]);
    near.removeKey("ada.near", wallet.publicKey);
    expect([await login(wallet), await login(second)]).toEqual(["invalid_wallet_proof", "ada"]);
  });

  it("refuses a key that may only call functions, a foreign one, and a name nobody has", async () => {
    const ben = await hub.member("ben");
    const limited = createWallet("ben.near");
    near.account("ben.near", { [limited.publicKey]: functionCall });
    for (const wallet of [limited, otherKey("ben.near"), createWallet("nobody.near")]) {
      expect(await bind(ben, wallet)).toBe("invalid_wallet_proof");
      expect(await login(wallet)).toBe("invalid_wallet_proof");
    }
    expect((await me(ben)).wallet).toBe(null);
  });

  it("takes an implicit account that the chain doesn't know by its own key alone", async () => {
    const ivy = await hub.member("ivy");
    const key = createWallet("");
    const implicit = { ...key, name: key.implicitName };
    expect(await bind(ivy, { ...otherKey(""), name: implicit.name })).toBe("invalid_wallet_proof");
    expect(await bind(ivy, implicit)).toBe(200);
    expect((await me(ivy)).wallet_verified).toBe(true);
    expect(await login(implicit)).toBe("ivy");
  });

  it("is 503 while the chain can't be asked, changes nothing, and leaves the proof usable", async () => {
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
    // Nor does it tell which wallets are bound here.
    expect(await login(createWallet("unknown.near"))).toBe("chain_unavailable");
    near.fault = null;
    expect(await login(wallet, again)).toBe("cleo");
  });

  it("does not ask the chain for who has a wallet already, nor with a bad proof", async () => {
    const dora = await hub.member("dora");
    await bind(dora, onChain("dora.near"));
    near.fault = { status: 500 };
    const asked = near.requests.length;
    expect(await bind(dora, onChain("dora2.near"))).toBe("wallet_already_bound");
    const forged = { ...prove(createWallet("x.near")), signature: "11".repeat(64) };
    expect(await login(createWallet("x.near"), forged)).toBe("invalid_wallet_proof");
    expect(near.requests).toHaveLength(asked);
  });

  it("tells that a wallet is taken only to who holds it", async () => {
    const wallet = onChain("taken.near");
    await bind(await hub.member("first"), wallet);
    const second = await hub.member("second");
    expect(await bind(second, otherKey("taken.near"))).toBe("invalid_wallet_proof");
    expect(await bind(second, wallet)).toBe("wallet_in_use");
    expect(await login(wallet)).toBe("first");
  });

  describe("a claim made while there was no chain", () => {
    const claim = async (actor: Actor, wallet: TestWallet) => {
      hub.hub.chain = null;
      expect(await bind(actor, wallet)).toBe(200);
      hub.hub.chain = chain;
    };

    it("gives way to a verified one, and its account is free again", async () => {
      const squatter = await hub.member("squatter");
      const squat = otherKey("erin.near");
      await claim(squatter, squat);
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

    it("doesn't lead the wallet's true owner into the account of whoever made it", async () => {
      await claim(await hub.member("trapper"), otherKey("frank.near"));
      expect(await login(onChain("frank.near"))).toBe("invalid_wallet_proof");
    });

    it("is verified by the first login that the chain confirms", async () => {
      const gina = await hub.member("gina");
      const wallet = onChain("gina.near");
      await claim(gina, wallet);
      expect((await me(gina)).wallet_verified).toBe(false);
      expect(await login(wallet)).toBe("gina");
      expect((await me(gina)).wallet_verified).toBe(true);
    });

    it("can be proved by its own account, also with another key, and nothing else be bound", async () => {
      const hana = await hub.member("hana");
      await claim(hana, otherKey("hana.near"));
      expect(await bind(hana, onChain("hana2.near"))).toBe("wallet_already_bound");
      expect(await bind(hana, onChain("hana.near"))).toBe(200);
      expect(await me(hana)).toMatchObject({ wallet: "hana.near", wallet_verified: true });
      expect(await bind(hana, onChain("hana.near"))).toBe("wallet_already_bound");
    });
  });

  it("pins a verified wallet to the key that bound it when the chain is taken away", async () => {
    const wallet = onChain("kim.near");
    await bind(await hub.member("kim"), wallet);
    hub.hub.chain = null;
    expect(await login(wallet)).toBe("kim");
    expect(await login(otherKey("kim.near"))).toBe("invalid_wallet_proof");
    expect(await bind(await hub.member("late"), otherKey("kim.near"))).toBe("wallet_in_use");
  });

  describe("at once", () => {
    const rivals = (name: string) =>
      Promise.all(Array.from({ length: 4 }, (_, n) => hub.member(`${name}-${n}`)));

    it.each(["free", "claimed"])(
      "gives a %s wallet to one of those who prove that it is theirs",
      async (state) => {
        const name = `${state}.near`;
        const wallet = onChain(name);
        const accounts = await rivals(state);
        const squatter = await hub.member(`squats-${state}`);
        if (state === "claimed") {
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
      },
    );

    it("gives an account one of the wallets it binds", async () => {
      const greedy = await hub.member("greedy");
      const wallets = Array.from({ length: 8 }, (_, n) => onChain(`greedy-${n}.near`));
      const results = await Promise.all(wallets.map((wallet) => bind(greedy, wallet)));
      expect(results.sort()).toEqual([200, ...Array(7).fill("wallet_already_bound")]);
    });
  });
});
